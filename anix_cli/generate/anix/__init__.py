"""Backend ``anix``: the paper's model on public bases, with an adapter that somebody trained.

Importing this is light; torch and diffusers come with the first clip.
"""

"""Backend ``wan-animate``: Wan2.2-Animate through diffusers, on public weights.

The model (arXiv 2509.14055) puts a character into a video, moved as a skeleton says. Its makers take the
skeleton from a performer's video; here the blocking is the performance. Importing this package is light.
"""

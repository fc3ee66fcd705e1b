"""Backend ``wan-vace``: Wan2.1-VACE and Wan2.2-VACE-Fun through diffusers, on public weights.

VACE (arXiv 2503.07598) takes all that a clip is asked with in one call: a control video and a mask that says
where it may draw, reference pictures, frames to go on from, and text. Importing this package is light.
"""

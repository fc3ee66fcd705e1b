"""Backend ``wan-animate-2``: Wan-Animate-2 through diffusers, driven by the animatic (``motion: video``).

The model animates who is in a picture with the movement of a driving video, and needs no skeleton. Importing
this package is light.
"""

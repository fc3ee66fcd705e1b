"""What all backends on diffusers share: how a model is held in memory, what makes it quicker, several GPUs.

Importing this package is light.
"""

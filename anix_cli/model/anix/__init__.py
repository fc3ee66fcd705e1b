"""The AniX model (arXiv 2512.17796): scene, character and past as conditions of a video transformer.

One recipe on two bases, HunyuanVideo and Wan. :mod:`.packing` holds what both share, :mod:`.hunyuan` and
:mod:`.wan` what differs. Nothing here imports torch before it is used.
"""

"""Baselines of the paper that take a first picture and words: CogVideoX, HunyuanVideo, Wan; by diffusers.

They are here to be compared with: of a plan they see the first frame (the animatic's, or the last one of the
clip before) and the prompt. Guide, anchor, views and camera do not reach them. Importing it is light.
"""

"""Game worlds that the paper compares with: a first picture and keys, in an environment of their own.

Matrix-Game-2.0 and Hunyuan-GameCraft come with the package ``fastvideo``, whose dependencies do not go with
anix's: a program in its environment does the work, and talks to anix through a pipe. Importing it is light.
"""

"""Motion as a picture: what a model that takes one is shown of how the characters move.

The plan knows the movement; text says little of it. A body's joints or its depth, drawn as the model was
trained to see them, say all of it.
"""

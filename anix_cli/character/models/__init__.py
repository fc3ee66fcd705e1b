"""Characters given as 3D models: glTF 2.0, GLB and VRM, read, stood upright, sampled and posed."""

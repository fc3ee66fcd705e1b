"""Motion from outside: BVH and glTF clips read, understood as a person's, and carried over to bodies."""

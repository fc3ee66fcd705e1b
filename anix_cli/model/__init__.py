"""Weights: which there are, where they lie on this machine, and whether they are whole. Light to import."""

"""Splat files. Most formats take two modules: ``…_structure``, without numpy, and a decoder."""

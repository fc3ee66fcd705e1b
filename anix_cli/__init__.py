"""anix: a screenplay in YAML becomes a film in a 3D Gaussian-splat scene."""

__version__ = "0.1.0"

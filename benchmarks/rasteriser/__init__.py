"""The rasteriser and its peers on one machine: see ``python -m benchmarks.rasteriser --help``."""

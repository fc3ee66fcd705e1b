"""Clips → film: joining, transitions, slates, the manifest."""

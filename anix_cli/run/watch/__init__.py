"""Watches a screenplay: plans again on every save, makes what changed as a small draft, and shows it."""

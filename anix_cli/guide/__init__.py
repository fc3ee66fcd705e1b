"""Plan + scene → Guide."""

"""Many films, unattended: tasks for several workers, each task a take of a film, in the end its join."""

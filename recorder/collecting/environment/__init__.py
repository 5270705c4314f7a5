"""The environment of a training, its packages and the version of its code."""

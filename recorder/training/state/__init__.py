"""The state of a training that callbacks and loggers read."""

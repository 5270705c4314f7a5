"""The adapter for Keras, with any of its backends."""

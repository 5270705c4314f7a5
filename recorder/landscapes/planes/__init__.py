"""The planes on which losses are measured: axes of several kinds, and what they show of the path."""

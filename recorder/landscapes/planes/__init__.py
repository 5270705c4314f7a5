"""The planes on which losses are measured: axes of several kinds, and the paths of trainings on them."""

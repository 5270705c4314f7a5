"""Networks of any framework as a landscape needs them: weights that are moved, a loss of held samples."""

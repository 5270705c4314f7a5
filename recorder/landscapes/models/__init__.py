"""Networks of any framework as a landscape uses them: weights that are set, and the loss of fixed samples."""

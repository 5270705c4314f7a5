"""Routes of hyperparameters, their importance, lineage and layouts."""

"""Results of evaluations, and samples, by the names of their fields: confusion matrices, ROC curves and tables."""

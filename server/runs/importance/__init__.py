"""How much each hyperparameter matters for a metric."""

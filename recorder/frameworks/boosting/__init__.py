"""What the adapters of libraries for gradient boosting have in common."""

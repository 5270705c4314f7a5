"""What is logged to a run: items, steps, metric definitions, models and alerts."""

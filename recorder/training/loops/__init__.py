"""The loops that run a training: fitting, evaluating and predicting."""

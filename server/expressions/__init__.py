"""Expressions of scalar tags, such as `validation/loss - train/loss`: parsed, never evaluated as code."""

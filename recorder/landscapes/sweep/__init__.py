"""Measuring many losses: jobs, journals, workers of any executor."""

"""Sweeps: many losses measured by the workers of any executor, with jobs and journals."""

"""Computes on one series: smoothing, downsampling, the running median, noise and sparklines."""

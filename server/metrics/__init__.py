"""Figures of the running server: GET /metrics, in the text format of Prometheus."""

"""Sends alerts to their destinations."""

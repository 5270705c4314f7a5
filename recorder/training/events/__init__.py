"""Calls the callbacks of both styles at the events of a training."""

"""Registers the callback, so that `TrainingArguments(report_to="toposcope")` creates it."""

from transformers.integrations import integration_utils

NAME = "toposcope"


def register(callback: type) -> None:
    """Add a callback to the integrations of Transformers, which creates it without arguments."""
    integration_utils.INTEGRATION_TO_CALLBACK[NAME] = callback

"""Samples: texts of JSON objects as tables, such as the completions of a language model, and their routes."""

"""The search language: literals, conditions and syntax."""

"""The state of Hugging Face's Trainer, which contains what it logged."""

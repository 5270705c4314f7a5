"""What is a secret in recorded text and settings, and how it is hidden."""

"""What is collected at a step."""

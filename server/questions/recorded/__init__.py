"""What runs recorded besides numbers: their output, texts and images."""

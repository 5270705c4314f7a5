"""Loss landscapes of MindSpore cells."""

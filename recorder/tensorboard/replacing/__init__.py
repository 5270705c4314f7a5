"""install(): replaces the writers of PyTorch and tensorboardX in this process."""

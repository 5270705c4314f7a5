"""SummaryWriter: event files in TensorBoard's dialect, with the interface of the writers of PyTorch and tensorboardX."""

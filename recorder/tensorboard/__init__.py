"""SummaryWriter: event files in TensorBoard's dialect, by the interface of the writers of PyTorch and tensorboardX."""

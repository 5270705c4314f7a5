"""Facts of PyTorch objects: parameters, optimizers, data pipelines, states and histograms."""

"""THOR: a second-order optimizer for PyTorch modules, after Chen et al., AAAI 2021, and MindSpore's nn.thor."""

"""Facts of MindSpore objects: cells, optimizers, data pipelines, states and summary operators."""

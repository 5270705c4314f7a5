"""Routes of values that are read on demand: images, audio, tensors, histograms, texts and curves."""

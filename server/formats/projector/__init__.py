"""The list of embeddings of TensorBoard's projector, beside the event files of a run."""

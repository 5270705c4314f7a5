"""The event files of a directory in TensorBoard's dialect."""

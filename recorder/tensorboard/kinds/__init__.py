"""TensorBoard's encoding of each kind of value, one a file."""

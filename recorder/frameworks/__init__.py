"""What only one framework has, a file each; none of them is imported unless the training imported it."""

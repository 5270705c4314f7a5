"""The snapshots that are published of a logdir, and what they say of its problems."""

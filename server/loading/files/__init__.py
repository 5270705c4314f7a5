"""The event files of a logdir: which have unread bytes, and reading those."""

"""How recordings end: with the program, a thread, a forked process, or without being closed."""

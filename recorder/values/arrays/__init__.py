"""Arrays and numbers of any framework, copied when they are added."""

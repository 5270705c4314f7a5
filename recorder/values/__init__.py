"""Values of users: copied when they are added, and encoded for the event file."""

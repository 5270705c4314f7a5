"""Loss landscapes: their messages, the files made of them, and their routes."""

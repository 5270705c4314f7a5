"""Loss landscapes: reading their messages, exporting them to files, and their API routes."""

"""Recording to object stores: files are written to a local spool, and another process uploads them."""

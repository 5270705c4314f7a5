"""Object stores: listing, reading ahead, and pieces of growing files."""

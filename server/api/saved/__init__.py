"""Routes of saved views and links."""

"""From the bytes of an event file to columns: scanning, tags, damage, and the index that keeps them."""

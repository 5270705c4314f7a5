"""What the watch of alerts remembers: the rules, what happened that they are about, and what they have raised."""

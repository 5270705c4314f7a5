"""What users hand over: taken from them when it is added, and turned into what an event file holds of it."""

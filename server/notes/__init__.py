"""Notes of users on runs (alias, note, labels, colour, hidden, archived), stored in the data folder."""

"""Notes of users on runs (alias, note, tags, colour, hidden, archived), stored in the data folder."""

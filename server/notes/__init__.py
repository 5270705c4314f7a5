"""What users say about runs: alias, note, tags, colour, hidden, archived; kept in the data folder."""

"""What users note about runs (alias, note, labels, colour, hidden, archived), and the colours of the others."""

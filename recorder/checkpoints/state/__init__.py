"""The state of a network and its optimizer, captured and restored."""

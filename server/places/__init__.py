"""The places where event files lie, behind one protocol."""

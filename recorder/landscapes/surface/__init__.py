"""The surface: its nodes level by level, the losses between them, and its diagnostics."""

"""The surface: its nodes level by level, what lies between them, and how far it can be trusted."""

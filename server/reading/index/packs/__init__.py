"""Packs: files of the index that contain what was read of many small event files."""

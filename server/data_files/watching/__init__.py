"""Watching the files of a folder, which this server and others change."""

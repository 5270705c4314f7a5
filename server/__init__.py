"""The server: reads growing event files and serves what they hold over HTTP."""

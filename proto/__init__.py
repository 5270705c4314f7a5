"""The bytes: messages of event files, record framing and file names. FORMAT.md states the format."""

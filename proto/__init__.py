"""The event file format: messages, record framing and file names. FORMAT.md describes it."""

"""From recorded events to event files: a queue, a thread, encoders and rotating files."""

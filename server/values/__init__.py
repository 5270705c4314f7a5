"""What the payloads of event files hold, decoded: one file a plugin."""

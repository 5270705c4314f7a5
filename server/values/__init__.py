"""Decoders of the payloads of event files, one module for each plugin."""

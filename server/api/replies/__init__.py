"""Replies: JSON, CBOR and arrays, byte ranges, names of downloads, and errors."""

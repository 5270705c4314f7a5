"""Indexes event files on several processes, or on a cluster."""

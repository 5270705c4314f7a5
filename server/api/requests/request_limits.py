"""Limits on the size of requests; a request that exceeds one is rejected with 413 or 422."""

MAX_NAME = 10_000
"""Characters of the name of a run, tag or file."""
MAX_BODY_BYTES = 16 << 20
"""Bytes of a posted body: room for the names of a hundred thousand runs."""
MAX_TAGS, MAX_RUNS = 10_000, 100_000
"""Tags and runs in a posted list."""

"""What a graph may be at most, and the error that says that one is more, or is malformed."""

LARGEST_PAYLOAD = 128 << 20
"""Bytes of a graph in its file."""
MOST_NODES = 300_000
MOST_EDGES = 2_000_000
MOST_SCOPES = 300_000
MOST_NAME_CHARACTERS = 100_000_000
"""Of the full names of all nodes and scopes together."""
LONGEST_PATH = 2_000
"""Characters of a name; what is longer is cut."""
DEEPEST = 64
"""Scopes in one another; what lies deeper stands in one label."""
MOST_OUTPUTS = 64
"""Outputs of one node."""
MOST_DIMENSIONS = 32
"""Dimensions of one shape; what has more is of unknown shape."""


class GraphError(ValueError):
    """A graph that cannot be shown: its bytes are malformed, or it is larger than the limits."""


def within(count: int, most: int, what: str) -> None:
    """Check a limit.

    Raises:
        GraphError: there is more than `most` of it.
    """
    if count > most:
        raise GraphError(f"a graph of more than {most:,} {what} is not shown")


def shortened(name: str, most: int) -> str:
    """Return a name, cut after so many characters."""
    return name if len(name) <= most else name[:most] + "…"

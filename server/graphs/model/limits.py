"""Limits on the size of a graph, and the error for graphs that exceed them or are malformed."""

LARGEST_PAYLOAD = 128 << 20
"""Bytes of an encoded graph."""
MAX_NODES = 300_000
MAX_EDGES = 2_000_000
MAX_SCOPES = 300_000
MAX_NAME_CHARACTERS = 100_000_000
"""Total length of the full names of all nodes and scopes."""
LONGEST_PATH = 2_000
"""Characters of a name; longer names are truncated."""
DEEPEST = 64
"""Nesting of scopes; deeper levels are part of a label."""
MAX_OUTPUTS = 64
"""Outputs of a node."""
MAX_DIMENSIONS = 32
"""Dimensions of a shape; a shape with more counts as unknown."""


class GraphError(ValueError):
    """A graph cannot be read: it is malformed, or exceeds the limits."""


def within(count: int, most: int, what: str) -> None:
    """Check a limit.

    Raises:
        GraphError: the count exceeds the limit.
    """
    if count > most:
        raise GraphError(f"the graph has more than {most:,} {what}, which is the limit")


def shortened(name: str, most: int) -> str:
    """Return a name, truncated to so many characters."""
    return name if len(name) <= most else name[:most] + "…"

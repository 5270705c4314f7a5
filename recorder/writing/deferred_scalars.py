"""Reads the deferred scalars of an event in the writer's thread, immediately before it is encoded."""

from collections.abc import Callable, Mapping

from toposcope.recorder.snapshot import Snapshot
from toposcope.recorder.values.deferred_scalar import DeferredScalar


def read_deferred(
    snapshots: Mapping[tuple[str, str], Snapshot], on_error: Callable[[str, str, Exception], None]
) -> tuple[dict[str, float], dict[tuple[str, str], Snapshot]]:
    """Return the deferred scalars by tag, and the other snapshots.

    Args:
        snapshots: by plugin and tag.
        on_error: called with plugin, tag and exception for a scalar that cannot be read; it is left out.
    """
    scalars: dict[str, float] = {}
    others: dict[tuple[str, str], Snapshot] = {}
    for (plugin, tag), snapshot in snapshots.items():
        if not isinstance(snapshot.content, DeferredScalar):
            others[plugin, tag] = snapshot
            continue
        try:
            scalars[tag] = snapshot.content.read()
        except Exception as error:  # An error of the user's computation, or a buffer that was deleted.
            on_error(plugin, tag, error)
    return scalars, others

"""Reads the deferred values of an event in the writer's thread, immediately before it is encoded."""

from collections.abc import Callable, Mapping

from toposcope.recorder.values.arrays.deferred_array import DeferredArray
from toposcope.recorder.values.arrays.deferred_scalar import DeferredScalar
from toposcope.recorder.writing.snapshot import Snapshot


def read_deferred(
    snapshots: Mapping[tuple[str, str], Snapshot], on_error: Callable[[str, str, Exception], None]
) -> tuple[dict[str, float], dict[tuple[str, str], Snapshot]]:
    """Return the deferred scalars by tag, and the other snapshots with their arrays read.

    Args:
        snapshots: by plugin and tag.
        on_error: called with plugin, tag and exception for a value that cannot be read; it is left out.
    """
    scalars: dict[str, float] = {}
    others: dict[tuple[str, str], Snapshot] = {}
    for (plugin, tag), snapshot in snapshots.items():
        try:
            if isinstance(snapshot.content, DeferredScalar):
                scalars[tag] = snapshot.content.read()
            elif isinstance(snapshot.content, DeferredArray):
                others[plugin, tag] = snapshot._replace(content=snapshot.content.read())
            else:
                others[plugin, tag] = snapshot
        except Exception as error:  # An error of the user's computation, or a buffer that was deleted.
            on_error(plugin, tag, error)
    return scalars, others

"""DrawnValues: the values that only TensorBoard's dialect has (video, audio, pr curves), in a file of their own."""

from pathlib import Path
from typing import Any, NamedTuple

from toposcope.proto.summary_pb2 import RecordingEnd
from toposcope.recorder.record.logged_values import LoggedValues
from toposcope.recorder.tensorboard.files.dialect import Value
from toposcope.recorder.tensorboard.files.file_writer import FileWriter
from toposcope.recorder.tensorboard.kinds.mesh import MeshValue
from toposcope.recorder.writing.snapshot import Snapshot

PLUGIN = "tensorboard"
"""The plugin of snapshots whose content is a Value of TensorBoard's dialect."""


class Drawn(NamedTuple):
    """A logged value of TensorBoard's dialect."""

    value: Value
    size: int
    """Approximate memory in bytes until it is written."""

    def named(self, tag: str) -> "Drawn":
        """Return it with the tag of what was logged, which a mesh contains as its name."""
        return self._replace(value=self.value._replace(name=tag)) if isinstance(self.value, MeshValue) else self

    def snapshot(self) -> Snapshot:
        """Return it as one of the logged values."""
        return Snapshot(PLUGIN, self.value, self.size)


class DrawnValues:
    """Writes such values into a file in TensorBoard's dialect beside the run's own, which begins with the first one."""

    def __init__(self, directory: Path, first_step: int | None = None) -> None:
        """Take the directory; first_step: the step from which on a resumed run replaces what earlier files have."""
        self._directory, self._first_step = directory, first_step
        self._writer: FileWriter | None = None

    def write(self, values: LoggedValues, step: int) -> LoggedValues:
        """Write those of the values that are of that dialect; return the others."""
        drawn: dict[str, Any] = {tag: s for (plugin, tag), s in values.snapshots.items() if plugin == PLUGIN}
        if not drawn:
            return values
        if self._writer is None:
            self._writer = FileWriter(self._directory, purge_step=self._first_step)
        size = sum(snapshot.size for snapshot in drawn.values())
        self._writer.add_values("value", {tag: s.content for tag, s in drawn.items()}, size, step)
        others = {key: snapshot for key, snapshot in values.snapshots.items() if key[0] != PLUGIN}
        return values._replace(snapshots=others)

    def close(self, end: RecordingEnd | None) -> None:
        """Write all values and close the file; end None: how the recording ended is observed."""
        if self._writer is not None:
            self._writer.close(end)

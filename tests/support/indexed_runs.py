"""What a server loads with an index, and which event files it opens for that."""

from pathlib import Path

import numpy as np

from toposcope.server.loading.load_once import load_logdir
from toposcope.server.loading.logdir import Logdir
from toposcope.server.places.local_disk import LocalDisk, OpenLocalFile
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.index.index import open_index
from toposcope.server.runs.run import RunView


class CountingDisk(LocalDisk):
    """Counts how often event files are opened."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    def open(self, path: str) -> OpenLocalFile:
        """Open a file, and remember that."""
        self.opened.append(path)
        return super().open(path)


def start(logdir: Path, folder: Path) -> tuple[dict[str, RunView], list[str]]:
    """Return (the runs that a new server loads; the event files that it opened)."""
    disk = CountingDisk()
    loading = Logdir(str(logdir), 0, open_index(str(folder)), disk)
    loading.step()
    loading.stop_loading()
    return dict(loading.snapshot.runs), disk.opened


def described(file: FileView) -> tuple[object, ...]:
    """Return everything that is known of a file, comparable."""
    series = {
        tag: [(column.dtype.str, np.asarray(column).tobytes()) for column in points]
        for tag, points in file.series.items()
    }
    return (file._replace(series={}, place=LocalDisk(), counters=None)[:-2], file.counters.values(), series)  # type: ignore[arg-type]


def assert_equal_to_a_first_load(runs: dict[str, RunView], logdir: Path) -> None:
    """Check that runs are those of a server without an index."""
    fresh = load_logdir(str(logdir), verify=True).runs
    assert list(runs) == list(fresh)
    for name, run in runs.items():
        assert [described(file) for file in run.files] == [described(file) for file in fresh[name].files]
        assert run.state.without_phases() == fresh[name].state.without_phases()
        assert (run.tags, run.plugins) == (fresh[name].tags, fresh[name].plugins)

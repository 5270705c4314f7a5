"""Files that are written again in place, as by cp over them or rsync --inplace: same inode, same size."""

import os
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from support.event_files import scalar_event, write_run
from support.servers import SLOW_SECONDS, start, stop, wait_until

STEPS = 2000
OLD = [float(step) for step in range(STEPS)]
Change = Callable[[list[float]], list[float]]


def run_of(folder: Path, values: list[float]) -> Path:
    """Write a run with these values; all of them have the same size."""
    return write_run(folder, [scalar_event(step, step, {"loss": value}) for step, value in enumerate(values)])


def shifted(values: list[float]) -> list[float]:
    """Return other values."""
    return [value + 5000 for value in values]


def changed_in_the_middle(values: list[float]) -> list[float]:
    """Return the same values but one, so that the first and last bytes are the same."""
    return [*values[:1000], -1.0, *values[1001:]]


@pytest.mark.parametrize(("change", "keeps_time"), [(shifted, False), (changed_in_the_middle, False), (shifted, True)])
def test_a_file_written_again_in_place_is_read_again(tmp_path: Path, change: Change, keeps_time: bool) -> None:
    """All of it, whatever its time is; the log says so."""
    path = run_of(tmp_path / "runs" / "run", OLD)
    new = change(OLD)
    content = run_of(tmp_path / "other", new).read_bytes()
    before = path.stat()
    process, url = start(tmp_path / "runs", "--reload-interval", "0.2", "--index-dir", str(tmp_path / "index"))
    with httpx.Client(base_url=url, timeout=SLOW_SECONDS) as client:

        def losses() -> list[float]:
            series = client.get("/api/scalars?tag=loss&points=0").json().get("series", [])
            return series[0]["value"] if series else []

        wait_until(lambda: losses() == OLD)
        with path.open("r+b") as file:
            assert file.write(content) == before.st_size
        if keeps_time:
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

        wait_until(lambda: losses() == new)
    assert "was written again in place" in stop(process)[1]

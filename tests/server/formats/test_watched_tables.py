"""Tables that are written in a watched logdir and are no logs."""

import time
from functools import partial
from pathlib import Path

from support.event_files import loss_run, scalar_event
from support.servers import wait_until

from toposcope.server.loading.logdir import Logdir
from toposcope.server.places.local_disk import LocalDisk
from toposcope.server.places.place import Listing


class CountingDisk(LocalDisk):
    """A disk that counts how often each directory is listed."""

    def __init__(self, logdir: str) -> None:
        super().__init__(logdir)
        self.listed: list[str] = []

    def list(self, directory: str) -> Listing:
        self.listed.append(directory)
        return super().list(directory)


def test_a_table_that_is_no_log_causes_no_walks(tmp_path: Path) -> None:
    """The logdir is walked again for a log only, not with each row of predictions."""
    runs = tmp_path / "runs"
    events = loss_run(runs / "run", range(3))
    (runs / "elsewhere").mkdir()
    disk = CountingDisk(str(runs))
    logdir = Logdir(str(runs), 0.1, place=disk)

    def is_watched() -> bool:
        """Return whether there was no walk in half a second: without a watch there is one each tenth of a second."""
        before = len(disk.listed)
        time.sleep(0.5)
        return len(disk.listed) == before

    def has_step(step: int) -> bool:
        return logdir.snapshot.runs["run"].steps == (0, step)

    logdir.start()
    try:
        wait_until(lambda: not logdir.snapshot.loading and is_watched())
        walks = disk.listed.count(str(runs / "elsewhere"))
        for step in range(3, 13):
            with (runs / "run/predictions.csv").open("a") as file:
                file.write("label,score\n" if step == 3 else "cat,0.5\n")
            with events.open("ab") as event_file:
                event_file.write(scalar_event(2.0 + step, step, {"loss": 1.0}))
            wait_until(partial(has_step, step))
        # On a busy machine, the last walk before watching may be counted here.
        assert disk.listed.count(str(runs / "elsewhere")) <= walks + 1

        (runs / "run/deeper").mkdir()
        (runs / "run/deeper/progress.csv").write_text("step,loss\n1,0.5\n")
        wait_until(lambda: "run/deeper/progress.csv" in logdir.snapshot.runs)
    finally:
        logdir.stop()

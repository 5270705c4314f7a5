"""Trains and records with what the recorder needs and no more: NumPy, protobuf, google-crc32c and Pillow.

python tests/release/record_run.py FOLDER [--block]

With --block every other package is blocked. Prints the tags that were recorded, one a line.
"""

import sys
from importlib.abc import MetaPathFinder
from pathlib import Path

LIBRARIES = {"PIL", "google", "google_crc32c", "numpy"}


class BlockedPackages(MetaPathFinder):
    """Fails every import of a package that the recorder does not need, as if it were not installed."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        """Raise ModuleNotFoundError for such a package; leave the others to the other finders."""
        top = fullname.partition(".")[0]
        if top not in LIBRARIES | {"toposcope", "support"} | sys.stdlib_module_names:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


def main() -> None:
    """Record a training with the collector, and one value of each kind without it."""
    if "--block" in sys.argv:
        sys.meta_path.insert(0, BlockedPackages())
    import numpy as np
    from support.line_network import Line, line_batches
    from support.written_events import read_events

    from toposcope.recorder import SummaryRecord
    from toposcope.recorder.callbacks import SummaryCollector
    from toposcope.recorder.training import Model

    folder = Path(sys.argv[1])
    Model(Line()).train(2, line_batches(5), callbacks=[SummaryCollector(folder / "collected")])
    with SummaryRecord(folder / "recorded") as recorder:
        recorder.add_value("scalar", "scalar", 0.5)
        recorder.add_value("tensor", "tensor", np.arange(6).reshape(2, 3))
        recorder.add_value("histogram", "histogram", np.linspace(-1, 1, 100))
        recorder.add_value("image", "image", np.zeros((1, 3, 8, 8)))
        recorder.add_value("text", "text", "A *word*.")
        assert recorder.record(1)
    events = [event for path in sorted(folder.glob("*/*.summary.*_MS")) for event in read_events(path)]
    print(*sorted({value.tag for event in events for value in event.summary.value}), sep="\n")


if __name__ == "__main__":
    main()

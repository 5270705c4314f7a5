"""NewestCheckpoint: a callback that names the newest checkpoint of a library for the lineage."""

from toposcope.recorder.training.events.callback import Callback


class NewestCheckpoint(Callback):
    """Has the path of the checkpoint that the library saved last, where a SummaryCollector looks for it."""

    latest_ckpt_file_name: str | None = None
    """None before the first one."""

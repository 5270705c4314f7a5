"""GlobalSummaryWriter: a writer that counts the steps of its values, in the place of tensorboardX's."""

from multiprocessing import Manager
from typing import Any

from toposcope.recorder.tensorboard.files.file_writer import FileWriter
from toposcope.recorder.tensorboard.replacing.tensorboardx import TensorboardxWriter


class GlobalSummaryWriter:
    """Records values without a step: those of a tag have the steps 0, 1, 2, ... over all processes that use the writer.

    The interface is that of tensorboardX's class, for processes where tensorboardX is not installed. A forked process,
    and one that the writer is passed to, writes its values to a file of its own in the same directory: together the
    files are one run, with every value once.
    """

    _shared: "GlobalSummaryWriter | None" = None

    def __init__(self, logdir: Any = None, comment: str = "", *arguments: Any, **options: Any) -> None:
        """Create a writer: the parameters are those of tensorboardX's SummaryWriter, coalesce_process is not used."""
        options.pop("coalesce_process", None)
        self.smw = TensorboardxWriter(logdir, comment, *arguments, **options)
        """The writer that records the values."""
        manager = Manager()
        self._steps = manager.dict()
        self._lock = manager.Lock()

    @staticmethod
    def getSummaryWriter() -> "GlobalSummaryWriter":  # noqa: N802
        """Return the writer of this process, which is created at the first call."""
        if GlobalSummaryWriter._shared is None:
            GlobalSummaryWriter._shared = GlobalSummaryWriter()
        return GlobalSummaryWriter._shared

    def add_scalar(self, tag: str, scalar_value: Any, walltime: float | None = None) -> None:
        """Record a number at the tag's next step: see SummaryWriter.add_scalar()."""
        with self._lock:
            self.smw.add_scalar(tag, scalar_value, self._next_step("scalar", tag), walltime)

    def add_image(self, tag: str, img_tensor: Any, walltime: float | None = None, dataformats: str = "CHW") -> None:
        """Record an image at the tag's next step: see SummaryWriter.add_image()."""
        with self._lock:
            self.smw.add_image(tag, img_tensor, self._next_step("image", tag), walltime, dataformats)

    def add_text(self, tag: str, text_string: str, walltime: float | None = None) -> None:
        """Record a text at the tag's next step: see SummaryWriter.add_text()."""
        with self._lock:
            self.smw.add_text(tag, text_string, self._next_step("text", tag), walltime)

    @property
    def file_writer(self) -> FileWriter:
        """The file writer of the run."""
        return self.smw._get_file_writer()

    def close(self) -> None:
        """Write all values and close the files."""
        self.smw.close()

    def _next_step(self, kind: str, tag: str) -> int:
        step: int = self._steps.get((kind, tag), -1) + 1
        self._steps[kind, tag] = step
        return step

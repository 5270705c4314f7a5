"""SummaryWriter and FileWriter with the signatures, directories and tags of tensorboardX's."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from time import time
from typing import Any

from toposcope.recorder.arguments import checked_name
from toposcope.recorder.tensorboard.files.file_writer import FileWriter
from toposcope.recorder.tensorboard.files.null_file_writer import NullFileWriter
from toposcope.recorder.tensorboard.kinds.scalar import DescribedScalar
from toposcope.recorder.tensorboard.summary_writer import SummaryWriter

_MAX_CACHED_TAGS = 10_000
_REPLACED = re.compile(r"[^-/\w.]")


class TensorboardxFileWriter(FileWriter):
    """FileWriter by the names of tensorboardX's parameters, with its use_metadata()."""

    def __init__(
        self,
        logdir: str | os.PathLike[str],
        max_queue: int | None = 10,
        flush_secs: float | None = 120,
        filename_suffix: str | None = "",
        *,
        purge_step: int | None = None,
    ) -> None:
        """Create a new event file: see FileWriter."""
        self.default_step: Any = None
        """The step of values that have none; None: 0."""
        self.default_walltime: float | None = None
        """The wall time in seconds since 1970 of values that have none; None: the current one."""
        super().__init__(logdir, max_queue, flush_secs, filename_suffix, purge_step=purge_step)

    @contextmanager
    def use_metadata(self, *, global_step: Any = None, walltime: float | None = None) -> Iterator["FileWriter"]:
        """Use a step and a wall time, in seconds since 1970, for the values in a with block that have none."""
        before = self.default_step, self.default_walltime
        self.default_step, self.default_walltime = global_step, walltime
        try:
            yield self
        finally:
            self.default_step, self.default_walltime = before

    def add_scalars(self, scalars: Mapping[str, float], global_step: Any = None, walltime: Any = None) -> None:
        """Record numbers by tag as one event."""
        super().add_scalars(scalars, *self._with_defaults(global_step, walltime))

    def add_values(
        self, plugin: str, values: Mapping[str, Any], size: int, global_step: Any = None, walltime: Any = None
    ) -> None:
        """Record values by tag as one event."""
        super().add_values(plugin, values, size, *self._with_defaults(global_step, walltime))

    def _add_fields(self, content: bytes, step: Any, walltime: Any) -> None:
        super()._add_fields(content, *self._with_defaults(step, walltime))

    def _with_defaults(self, step: Any, walltime: Any) -> tuple[Any, Any]:
        return (
            self.default_step if step is None else step,
            self.default_walltime if walltime is None else walltime,
        )


class TensorboardxWriter(SummaryWriter):
    """SummaryWriter with what differs in tensorboardX's.

    The names of scalars, histograms, images and videos have "_" in place of other characters than letters, digits, "-",
    "_", "." and "/". The runs of add_scalars() are `<logdir>/<main_tag>/<name>`.
    """

    file_writer_class = TensorboardxFileWriter

    def __init__(
        self,
        logdir: str | os.PathLike[str] | None = None,
        comment: str | None = "",
        purge_step: int | None = None,
        max_queue: int | None = 10,
        flush_secs: float | None = 120,
        filename_suffix: str | None = "",
        write_to_disk: bool | None = True,
        log_dir: str | os.PathLike[str] | None = None,
        comet_config: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Create a new event file in *logdir*, which may also be passed as log_dir: see SummaryWriter.

        Args:
            logdir: directory of the run.
            comment: at the end of the default directory's name.
            purge_step: the first step of this recording.
            max_queue: not used.
            flush_secs: maximum time in seconds before a value is written; a second if it is longer.
            filename_suffix: of the file names.
            write_to_disk: whether anything is recorded.
            log_dir: the same as logdir.
            comet_config: not used: nothing is sent to Comet.
            kwargs: not used.
        """
        self._writes = write_to_disk is not False
        self.scalar_dict: dict[str, list[list[Any]]] = {}
        """What add_scalars() has recorded: (wall time, step, value) by directory."""
        super().__init__(logdir or log_dir, comment, purge_step, max_queue, flush_secs, filename_suffix)
        self.logdir = self.log_dir

    def _file_writer(self, directory: str | os.PathLike[str], purge_step: int | None = None) -> FileWriter:
        return super()._file_writer(directory, purge_step) if self._writes else NullFileWriter(directory)

    def add_scalar(  # type: ignore[override]
        self,
        tag: str,
        scalar_value: Any,
        global_step: Any = None,
        walltime: float | None = None,
        display_name: str | None = "",
        summary_description: str | None = "",
    ) -> None:
        """Record a number: see SummaryWriter.add_scalar().

        Args:
            tag: its name.
            scalar_value: the number.
            global_step: the step.
            walltime: in seconds since 1970. None: now.
            display_name: shown by TensorBoard in place of the tag.
            summary_description: in Markdown.
        """
        tag = _replaced(tag) if type(tag) is str else checked_name(tag, "tag")
        if not (display_name or summary_description):
            super().add_scalar(tag, scalar_value, global_step, self._walltime(walltime))
        elif (number := self._number(tag, scalar_value)) is not None:
            value = DescribedScalar(number, display_name or "", summary_description or "")
            self._add("scalar", tag, value, 0, global_step, walltime)

    def add_scalars(
        self, main_tag: str, tag_scalar_dict: Mapping[str, Any], global_step: Any = None, walltime: float | None = None
    ) -> None:
        """Record numbers that TensorBoard draws in one chart: see SummaryWriter.add_scalars()."""
        walltime = self._walltime(walltime) or time()
        super().add_scalars(main_tag, tag_scalar_dict, global_step, walltime)
        for name, value in tag_scalar_dict.items():
            points = self.scalar_dict.setdefault(self._child_directory(main_tag, str(name)), [])
            points.append([walltime, global_step, self._number(main_tag, value)])

    def _child_directory(self, main_tag: str, name: str) -> str:
        return os.path.join(self._get_file_writer().get_logdir(), main_tag, name)

    def export_scalars_to_json(self, path: str | os.PathLike[str]) -> None:
        """Write what add_scalars() has recorded as JSON, and forget it.

        Raises:
            OSError: the file cannot be written.
        """
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.scalar_dict, file)
        self.scalar_dict = {}

    def add_hparams(  # type: ignore[override]
        self,
        hparam_dict: Mapping[str, Any],
        metric_dict: Mapping[str, Any],
        name: str | None = None,
        global_step: Any = None,
    ) -> None:
        """Record hyperparameters and metrics in a run of their own: see SummaryWriter.add_hparams()."""
        super().add_hparams(hparam_dict, metric_dict, None, name, global_step)

    def add_image_with_boxes(  # type: ignore[override]
        self,
        tag: str,
        img_tensor: Any,
        box_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
        labels: str | Sequence[str] | None = None,
        rescale: float = 1,
    ) -> None:
        """Record an image on which boxes are drawn: see SummaryWriter.add_image_with_boxes()."""
        super().add_image_with_boxes(tag, img_tensor, box_tensor, global_step, walltime, rescale, dataformats, labels)

    def add_onnx_graph(self, onnx_model_file: str | os.PathLike[str]) -> None:
        """Record the graph in an ONNX file: see SummaryWriter.add_onnx_graph()."""
        super().add_onnx_graph(onnx_model_file)

    def add_openvino_graph(self, xmlname: str | os.PathLike[str]) -> None:
        """Record the graph in an XML file of OpenVINO.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file is not a model of OpenVINO.
        """
        from toposcope.recorder.tensorboard.kinds.openvino_graph import openvino_graph

        self._get_file_writer().add_onnx_graph(openvino_graph(xmlname))

    @contextmanager
    def use_metadata(self, *, global_step: Any = None, walltime: float | None = None) -> Iterator["TensorboardxWriter"]:
        """Use a step and a wall time, in seconds since 1970, for the values in a with block that have none."""
        writer = self._get_file_writer()
        if isinstance(writer, TensorboardxFileWriter):
            with writer.use_metadata(global_step=global_step, walltime=walltime):
                yield self
        else:
            yield self

    def _walltime(self, walltime: float | None) -> float | None:
        """Return the wall time of a value, None for the current one."""
        writer = self.file_writer
        if walltime is None and isinstance(writer, TensorboardxFileWriter):
            return writer.default_walltime
        return walltime

    def _add(self, plugin: str, tag: str, value: Any, size: int, global_step: Any, walltime: float | None) -> None:
        if plugin in ("histogram", "image", "video"):
            tag = _replaced(checked_name(tag, "tag"))
        super()._add(plugin, tag, value, size, global_step, walltime)


@lru_cache(maxsize=_MAX_CACHED_TAGS)
def _replaced(tag: str) -> str:
    """Return a tag with the characters that tensorboardX replaces."""
    return _REPLACED.sub("_", checked_name(tag, "tag")).lstrip("/")

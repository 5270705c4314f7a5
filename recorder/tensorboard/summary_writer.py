"""SummaryWriter: records what torch.utils.tensorboard.SummaryWriter and tensorboardX.SummaryWriter record."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from datetime import datetime
from time import time
from types import TracebackType
from typing import Any

import numpy as np

from toposcope.proto.summary_pb2 import RecordingEnd
from toposcope.recorder import log
from toposcope.recorder.arguments import checked_integer, checked_name
from toposcope.recorder.ending import ending_of
from toposcope.recorder.tensorboard.file_writer import FileWriter
from toposcope.recorder.values.arrays import Array, array_from
from toposcope.recorder.values.foreign_values import UnreadableValueError, short_repr
from toposcope.recorder.values.scalar import scalar_from

_MIN_STEP, _MAX_STEP = -(2**63), 2**63 - 1
_VALUE_BYTES = 256


class SummaryWriter:
    """Records values to event files that TensorBoard opens as its own, written like those of SummaryRecord.

    A drop-in for torch.utils.tensorboard.SummaryWriter, with the same methods and parameters:

        with SummaryWriter("runs/first") as writer:
            for step in range(1, 1001):
                writer.add_scalar("loss", train_step(), step)

    Steps are anything that int() accepts, and 0 if there is none. Values are numbers, arrays or tensors of any
    framework; they are copied, and encoded in a background thread. A value whose own methods fail is skipped, with one
    log line; a failure to write never stops the training. After close(), and in a process forked from the writer's, the
    next value starts a new file.

    Differences from PyTorch's class:

    * Values are written within a second, and are in the file after flush() and close(). Heartbeats and the end of the
      recording are in fields of our own, which TensorBoard skips, as is the exact double of each scalar: TensorBoard
      shows the float32.
    * purge_step deletes nothing for Toposcope, which shows what was recorded from that step on as an earlier attempt.
    * Integer pixels are taken as 0 to 255, and int16 audio as samples. Audio may be stereo. add_video() does not need
      moviepy, nor add_onnx_graph() onnx.
    * Histograms count values beyond ±1e20, and NaN and infinities apart.
    * A bool is a bool among the hyperparameters.
    """

    file_writer_class: type[FileWriter] = FileWriter
    """What install() replaces, for isinstance()."""

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str | None = "",
        purge_step: int | None = None,
        max_queue: int | None = 10,
        flush_secs: float | None = 120,
        filename_suffix: str | None = "",
    ) -> None:
        """Create a new event file in *log_dir*, which is created if it does not exist.

        Args:
            log_dir: directory of the run. None: `runs/<date>_<host><comment>`.
            comment: at the end of the directory's name; not used if log_dir is passed.
            purge_step: the first step of this recording, which replaces what earlier ones in the directory recorded
                from that step on.
            max_queue: not used: the queue is bounded by its memory.
            flush_secs: maximum time in seconds before a value is written; a second if it is longer.
            filename_suffix: of the file names.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: an argument has an invalid value.
            OSError: the directory or the file cannot be created.
        """
        self.log_dir = log_dir or _default_directory(comment or "")
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix
        self.file_writer: FileWriter | None = None
        """The writer of the run; None while it is closed."""
        self.all_writers: dict[str, FileWriter] | None = None
        """By directory: the writer of the run, and those of add_scalars()."""
        self._warned: set[tuple[str, str]] = set()
        self._get_file_writer()

    def _get_file_writer(self) -> FileWriter:
        """Return the writer of the run; start a new file if it is closed."""
        if self.file_writer is None or self.all_writers is None:
            self.file_writer = self._file_writer(self.log_dir, self.purge_step)
            self.purge_step = None
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
        return self.file_writer

    def _file_writer(self, directory: str | os.PathLike[str], purge_step: int | None = None) -> FileWriter:
        return self.file_writer_class(
            directory, self.max_queue, self.flush_secs, self.filename_suffix, purge_step=purge_step
        )

    def get_logdir(self) -> str | os.PathLike[str]:
        """Return the directory of the run."""
        return self.log_dir

    @property
    def default_bins(self) -> list[float]:
        """The edges of the buckets of add_histogram(), as a new list."""
        from toposcope.recorder.tensorboard.histogram import default_limits

        return [float(limit) for limit in default_limits()[1:-1]]

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: Any = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """Record a number.

        Args:
            tag: its name.
            scalar_value: a real number, or an array or tensor of any framework with one element.
            global_step: the step.
            walltime: in seconds since 1970. None: now.
            new_style: not used: TensorBoard shows both styles alike.
            double_precision: not used: the exact double is always recorded.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: the value does not have one element, or the step does not fit in 64 bits.
        """
        writer = self.file_writer or self._get_file_writer()
        # The most frequent case first: it is most of the time that recording takes from the training.
        if (
            type(scalar_value) is float
            and type(global_step) is int
            and walltime is None
            and type(tag) is str
            and tag
            and _MIN_STEP <= global_step <= _MAX_STEP
        ):
            event = time(), global_step, {tag: scalar_value}, None
            if not writer.put(event):
                writer.put_again(event)
            return
        tag = checked_name(tag)
        number = self._number(tag, scalar_value)
        if number is not None:
            writer.add_scalars({tag: number}, global_step, walltime)

    def add_scalars(
        self, main_tag: str, tag_scalar_dict: Mapping[str, Any], global_step: Any = None, walltime: float | None = None
    ) -> None:
        """Record numbers that TensorBoard draws in one chart: each in a run of its own, with the same tag.

        Args:
            main_tag: the tag.
            tag_scalar_dict: name to number; the directory of each run is `<log_dir>/<main_tag>_<name>`.
            global_step: the step.
            walltime: in seconds since 1970. None: now.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: a value does not have one element, or the step does not fit in 64 bits.
        """
        main_tag = checked_name(main_tag)
        if not isinstance(tag_scalar_dict, Mapping):
            raise TypeError(f"tag_scalar_dict must be a dict, not {short_repr(tag_scalar_dict)}.")
        walltime = time() if walltime is None else walltime
        for name, value in tag_scalar_dict.items():
            number = self._number(main_tag, value)
            if number is not None and (writer := self._child(main_tag, str(name))) is not None:
                writer.add_scalars({main_tag: number}, global_step, walltime)

    def add_tensor(self, tag: str, tensor: Any, global_step: Any = None, walltime: float | None = None) -> None:
        """Record an array or a tensor of any framework, with its shape and dtype.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: the tensor takes 2 GiB or more, or the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard.tensor import TensorValue, check_size

        check_size(tensor)
        if (array := self._array(tag, tensor)) is not None:
            self._add("tensor", tag, TensorValue(array), array.values.nbytes, global_step, walltime)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: Any = None,
        bins: Any = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """Record the histogram of an array or a tensor of any framework.

        Args:
            tag: its name.
            values: real numbers, in any shape.
            global_step: the step.
            bins: "tensorflow": buckets whose limits grow by a tenth. Otherwise what numpy.histogram() takes.
            walltime: in seconds since 1970. None: now.
            max_bins: adjacent buckets are joined until there are about as many.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: there are no values, bins is invalid, or the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard.bins import checked_bins
        from toposcope.recorder.tensorboard.histogram import HistogramValue

        checked, most = (
            checked_bins(bins),
            None if max_bins is None else checked_integer("max_bins", max_bins, lowest=1),
        )
        if (array := self._real_array(tag, values)) is None:
            return
        if not array.values.size:
            raise ValueError(f"The histogram {tag!r} must have a value.")
        self._add("histogram", tag, HistogramValue(array, checked, most), array.values.nbytes, global_step, walltime)

    def add_histogram_raw(
        self,
        tag: str,
        min: float,
        max: float,
        num: float,
        sum: float,
        sum_squares: float,
        bucket_limits: Any,
        bucket_counts: Any,
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Record a histogram that was computed elsewhere.

        Args:
            tag: its name.
            min: of the values, like the next four.
            max: the largest value.
            num: number of values.
            sum: sum of the values.
            sum_squares: sum of their squares.
            bucket_limits: [n], the right edges of the buckets, ascending.
            bucket_counts: [n], the number of values in each.
            global_step: the step.
            walltime: in seconds since 1970. None: now.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: there is not one count for each limit, or the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard.histogram import RawHistogram, Statistics

        statistics = [self._number(tag, each) for each in (min, max, num, sum, sum_squares)]
        limits, counts = self._real_array(tag, bucket_limits), self._real_array(tag, bucket_counts)
        if limits is None or counts is None or None in statistics:
            return
        if limits.values.ndim != 1 or limits.values.shape != counts.values.shape:
            raise ValueError(
                "bucket_limits and bucket_counts must be lists of the same length; "
                f"their shapes are {limits.values.shape} and {counts.values.shape}."
            )
        edges, numbers = (each.numbers().astype(np.float64) for each in (limits, counts))
        value = RawHistogram(Statistics(*(each or 0.0 for each in statistics)), edges, numbers)
        self._add("histogram", tag, value, edges.nbytes + numbers.nbytes, global_step, walltime)

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Record an image with 1, 3 or 4 channels; a batch of images is tiled in rows of eight.

        Args:
            tag: its name.
            img_tensor: an array or a tensor of any framework. Floats are in the range 0 to 1, integers 0 to 255.
            global_step: the step.
            walltime: in seconds since 1970. None: now.
            dataformats: meaning of the dimensions: an order of "HW", "CHW" or "NCHW".

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: the shape does not match dataformats, or the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard.image import ImageValue, checked_layout

        if (array := self._real_array(tag, img_tensor)) is not None:
            value = ImageValue(array, checked_layout(array.values.shape, dataformats))
            self._add("image", tag, value, array.values.nbytes, global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Record a batch of images, or a list of images of which dataformats has no N: see add_image()."""
        if isinstance(img_tensor, list | tuple) and isinstance(dataformats, str) and len(dataformats) < 4:
            dataformats = "N" + dataformats
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_image_with_boxes(
        self,
        tag: str,
        img_tensor: Any,
        box_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        rescale: float = 1,
        dataformats: str = "CHW",
        labels: str | Sequence[str] | None = None,
    ) -> None:
        """Record an image on which boxes are drawn.

        Args:
            tag: its name.
            img_tensor: see add_image().
            box_tensor: [n, 4]: left, top, right, bottom of each box, in pixels.
            global_step: the step.
            walltime: in seconds since 1970. None: now.
            rescale: by how much the image is enlarged after the boxes are drawn.
            dataformats: meaning of the dimensions.
            labels: of the boxes. None are drawn if there is not one for each box.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: a shape is wrong, rescale is not positive, or the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard.boxes import BoxedImageValue
        from toposcope.recorder.tensorboard.image import checked_layout

        image, boxes = self._real_array(tag, img_tensor), self._real_array(tag, box_tensor)
        scale = self._number(tag, rescale)
        if image is None or boxes is None or scale is None:
            return
        if boxes.values.ndim != 2 or boxes.values.shape[1] != 4:
            raise ValueError(f"box_tensor must have the shape (boxes, 4), not {boxes.values.shape}.")
        if not 0 < scale < float("inf"):
            raise ValueError(f"rescale must be positive and finite, not {rescale!r}.")
        names = [labels] if isinstance(labels, str) else None if labels is None else [str(each) for each in labels]
        if names is not None and len(names) != len(boxes.values):
            self._warn_once("labels", tag, f"has {len(names)} labels for {len(boxes.values)} boxes: none is drawn.")
            names = None
        layout = checked_layout(image.values.shape, dataformats)
        value = BoxedImageValue(image, layout, boxes, names, scale)
        self._add("image", tag, value, image.values.nbytes + boxes.values.nbytes, global_step, walltime)

    def add_figure(
        self,
        tag: str,
        figure: Any,
        global_step: Any = None,
        close: bool = True,
        walltime: float | None = None,
    ) -> None:
        """Record a figure of Matplotlib, or a list of figures of the same size, as an image.

        Args:
            tag: its name.
            figure: is drawn by this call.
            global_step: the step.
            close: whether the figure is closed afterwards.
            walltime: in seconds since 1970. None: now.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: the figures differ in size, or the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard import figure as figures

        listed = list(figure) if isinstance(figure, list | tuple) else [figure]
        try:
            drawn = [figures.pixels_of(each) for each in listed]
        except UnreadableValueError as error:
            self._warn_once("unreadable", tag, f"skipped, it cannot be drawn: {error}")
            return
        if close:
            figures.close(listed)
        if len({pixels.shape for pixels in drawn}) != 1:
            raise ValueError(
                f"The figures of {tag!r} must have the same size: {[pixels.shape[:2] for pixels in drawn]}."
            )
        self.add_image(tag, np.stack(drawn), global_step, walltime, "NHWC")

    def add_video(
        self,
        tag: str,
        vid_tensor: Any,
        global_step: Any = None,
        fps: float = 4,
        walltime: float | None = None,
        dataformats: str = "NTCHW",
    ) -> None:
        """Record videos as one animated GIF with at most 256 colours a frame.

        Args:
            tag: its name.
            vid_tensor: videos of the same size. Floats are in the range 0 to 1, integers 0 to 255.
            global_step: the step.
            fps: frames per second.
            walltime: in seconds since 1970. None: now.
            dataformats: meaning of the dimensions, an order of video N, frame T, channel C, height H and width W.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: the shape does not match dataformats, fps is not positive, or the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard.video import VideoValue
        from toposcope.recorder.values.video import VideoFrames, checked_fps, checked_video

        if (array := self._real_array(tag, vid_tensor)) is not None:
            layout = checked_video(array.values.shape, dataformats)
            value = VideoValue(VideoFrames(array, layout, checked_fps(fps)))
            self._add("video", tag, value, array.values.nbytes, global_step, walltime)

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: Any = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """Record audio as WAV with 16 bits a sample.

        Args:
            tag: its name.
            snd_tensor: [frames], [frames, 2] or [2, frames]: int16, or other numbers in the range -1 to 1.
            global_step: the step.
            sample_rate: samples per second.
            walltime: in seconds since 1970. None: now.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: the shape or the sample rate is invalid, or the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard.audio import AudioValue, audio_axes, checked_rate

        rate = checked_rate(sample_rate)
        if (array := self._real_array(tag, snd_tensor)) is not None:
            audio_axes(array.values)
            self._add("audio", tag, AudioValue(array, rate), array.values.nbytes, global_step, walltime)

    def add_text(self, tag: str, text_string: str, global_step: Any = None, walltime: float | None = None) -> None:
        """Record a text in Markdown.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard.tensor import TextValue

        if not isinstance(text_string, str):
            raise TypeError(f"text_string must be a str, not {short_repr(text_string)}.")
        value = TextValue(str.__str__(text_string))
        self._add("text", f"{checked_name(tag)}/text_summary", value, 4 * len(text_string), global_step, walltime)

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Record the graph of a network: every operator as torch.export traces it, or the modules if that fails.

        Args:
            model: a torch.nn.Module, or a network of Keras.
            input_to_model: the arguments of a call: a tensor, or a tuple or list of arguments. None: unknown; the graph
                of a module is then that of its submodules.
            verbose: whether the graph is printed.
            use_strict_trace: not used: a container of tensors may be an output.

        Raises:
            TypeError: model is not a network.
        """
        from toposcope.recorder.tensorboard.graph import GraphMember, graph_of

        try:
            graph = graph_of(model, input_to_model)
        except UnreadableValueError as error:
            self._warn_once("unreadable", "graph", f"skipped: {error}")
            return
        if verbose:
            print(graph)
        self._add("graph", "graph", GraphMember(graph), graph.ByteSize(), None, None)

    def add_onnx_graph(self, prototxt: str | os.PathLike[str]) -> None:
        """Record the graph in an ONNX file.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file is not an ONNX model.
        """
        from toposcope.recorder.tensorboard.onnx_graph import onnx_graph

        self._get_file_writer().add_onnx_graph(onnx_graph(prototxt))

    def add_embedding(
        self,
        mat: Any,
        metadata: Any = None,
        label_img: Any = None,
        global_step: Any = None,
        tag: str = "default",
        metadata_header: Sequence[str] | None = None,
    ) -> None:
        """Write vectors, with a label and an image for each, to files that TensorBoard's projector reads.

        Args:
            mat: [n, dimensions].
            metadata: n labels; or n lists of labels, one for each name in metadata_header.
            label_img: [n, channels, height, width], with 1 or 3 channels; floats in the range 0 to 1.
            global_step: the step.
            tag: the name.
            metadata_header: names of the columns of metadata.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: the numbers of vectors, labels and images differ, or the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard.embedding import Embedding, labels_text, write_embedding
        from toposcope.recorder.tensorboard.times import checked_step

        tag = checked_name(tag)
        vectors = self._real_array(tag, mat)
        images = None if label_img is None else self._real_array(tag, label_img)
        if vectors is None:
            return
        shape, of_images = vectors.values.shape, () if images is None else images.values.shape
        if len(shape) != 2:
            raise ValueError(f"mat must have the shape (vectors, dimensions), not {shape}.")
        if images is not None and (len(of_images) != 4 or of_images[0] != shape[0] or of_images[1] not in (1, 3)):
            raise ValueError(f"label_img must have the shape ({shape[0]}, 1 or 3, height, width), not {of_images}.")
        labels = None if metadata is None else labels_text(metadata, metadata_header, shape[0])
        step = checked_step("global_step", global_step)
        pixels = None if images is None else images.numbers()
        try:
            write_embedding(
                self._get_file_writer().get_logdir(), Embedding(tag, step, vectors.numbers(), labels, pixels)
            )
        except OSError as error:
            self._warn_once("embedding", tag, f"is not recorded: {error}")

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        global_step: Any = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Record the precision-recall curve of predictions.

        Args:
            tag: its name.
            labels: [n], 0 or 1, or False or True.
            predictions: [n], the probabilities that the labels are 1.
            global_step: the step.
            num_thresholds: number of thresholds from 0 to 1, at least 2; 127 if it is larger.
            weights: [n]. None: 1.
            walltime: in seconds since 1970. None: now.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: the numbers of labels, predictions and weights differ, or an argument is out of range.
        """
        from toposcope.recorder.tensorboard.pr_curve import MOST_THRESHOLDS, PredictionsValue

        thresholds = min(checked_integer("num_thresholds", num_thresholds, lowest=2), MOST_THRESHOLDS)
        arrays = [self._real_array(tag, each) for each in (labels, predictions, 1.0 if weights is None else weights)]
        if any(array is None for array in arrays):
            return
        truth, probabilities, weight = (array.numbers() for array in arrays if array is not None)
        if truth.size != probabilities.size or weight.size not in (1, truth.size):
            raise ValueError(
                f"labels, predictions and weights must have the same size; their shapes are {truth.shape}, "
                f"{probabilities.shape} and {weight.shape}."
            )
        value = PredictionsValue(truth, probabilities, weight, thresholds)
        self._add("pr_curve", tag, value, truth.nbytes + probabilities.nbytes, global_step, walltime)

    def add_pr_curve_raw(
        self,
        tag: str,
        true_positive_counts: Any,
        false_positive_counts: Any,
        true_negative_counts: Any,
        false_negative_counts: Any,
        precision: Any,
        recall: Any,
        global_step: Any = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Record a precision-recall curve that was computed elsewhere.

        Args:
            tag: its name.
            true_positive_counts: [n], for each threshold, like the next five.
            false_positive_counts: [n]
            true_negative_counts: [n]
            false_negative_counts: [n]
            precision: [n]
            recall: [n]
            global_step: the step.
            num_thresholds: n; 127 if it is larger.
            weights: not used.
            walltime: in seconds since 1970. None: now.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: the lists differ in length, or the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard.pr_curve import MOST_THRESHOLDS, PrCurveValue

        thresholds = min(checked_integer("num_thresholds", num_thresholds, lowest=1), MOST_THRESHOLDS)
        counts = true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts
        read = [self._real_array(tag, each) for each in (*counts, precision, recall)]
        arrays = [array.numbers() for array in read if array is not None]
        if len(arrays) < len(read):
            return
        if len({array.shape for array in arrays}) != 1 or arrays[0].ndim != 1:
            raise ValueError(
                f"The six lists of {tag!r} must have the same length; their shapes are "
                f"{[array.shape for array in arrays]}."
            )
        value = PrCurveValue(np.stack(arrays).astype(np.float32), thresholds)
        self._add("pr_curve", tag, value, value.data.nbytes, global_step, walltime)

    def add_custom_scalars_multilinechart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Record that TensorBoard draws several tags in one chart; see add_custom_scalars()."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Record that TensorBoard draws a value between two others; see add_custom_scalars()."""
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_custom_scalars(self, layout: Mapping[str, Mapping[str, Sequence[Any]]]) -> None:
        """Record the charts that TensorBoard draws on its page "custom scalars". The last layout is valid.

        Args:
            layout: {category: {title of a chart: ["Multiline", tags] or ["Margin", [value, lower, upper]]}}, of tags or
                regular expressions.

        Raises:
            TypeError: the layout is not such a mapping.
            ValueError: the kind of a chart is unknown, or a margin chart does not have three tags.
        """
        from toposcope.recorder.tensorboard.custom_scalars import TAG, layout_value

        value = layout_value(layout)
        self._add("custom_scalars", TAG, value, len(value.content), None, None)

    def add_mesh(
        self,
        tag: str,
        vertices: Any,
        colors: Any = None,
        faces: Any = None,
        config_dict: Mapping[str, Any] | None = None,
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Record a mesh or a cloud of points.

        Args:
            tag: its name.
            vertices: [batch, vertices, 3], coordinates.
            colors: [batch, vertices, 3], RGB in the range 0 to 255.
            faces: [batch, faces, 3], the vertices of each triangle.
            config_dict: settings of the scene.
            global_step: the step.
            walltime: in seconds since 1970. None: now.

        Raises:
            TypeError: an argument has the wrong type, or config_dict is not plain data.
            ValueError: a shape is wrong, or the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard.mesh import mesh_values

        tag = checked_name(tag)
        config = "{}" if config_dict is None else json.dumps(config_dict, sort_keys=True)
        given = {"VERTEX": vertices, "FACE": faces, "COLOR": colors}
        parts = {name: self._real_array(tag, part) for name, part in given.items() if part is not None}
        arrays = {name: array for name, array in parts.items() if array is not None}
        if len(arrays) == len(parts):
            size = sum(array.values.nbytes for array in arrays.values())
            values = mesh_values(tag, arrays, config)
            self._get_file_writer().add_values("mesh", values, size, global_step, walltime)

    def add_hparams(
        self,
        hparam_dict: Mapping[str, Any],
        metric_dict: Mapping[str, Any],
        hparam_domain_discrete: Mapping[str, Sequence[Any]] | None = None,
        run_name: str | None = None,
        global_step: Any = None,
    ) -> None:
        """Record hyperparameters and the metrics of a training with them, in a run of their own.

        Args:
            hparam_dict: name to a bool, a number, a str or an array of one number. None: it is left out.
            metric_dict: tag to number.
            hparam_domain_discrete: name of a hyperparameter to all values that it can have.
            run_name: directory of the run in that of this writer. None: the current time.
            global_step: the step of the metrics.

        Raises:
            TypeError: an argument is not a dict, or hparam_domain_discrete does not match hparam_dict.
            ValueError: a hyperparameter or a metric is of another kind, or the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard.hparams import hparams_values

        for name, given in (("hparam_dict", hparam_dict), ("metric_dict", metric_dict)):
            if not isinstance(given, Mapping):
                raise TypeError(f"{name} must be a dict, not {short_repr(given)}.")
        events = hparams_values(hparam_dict, list(metric_dict), hparam_domain_discrete)
        numbers = {tag: self._number(tag, value) for tag, value in metric_dict.items()}
        directory = os.path.join(self._get_file_writer().get_logdir(), run_name or str(time()))
        try:
            writer = self._file_writer(directory)
        except OSError as error:
            self._warn_once("run", directory, f"cannot be recorded: {error}")
            return
        for values in events:
            writer.add_values("hparams", values, _VALUE_BYTES, global_step)
        for tag, number in numbers.items():
            if number is not None:
                writer.add_scalars({tag: number}, global_step)
        writer.close()

    def flush(self) -> None:
        """Wait until everything recorded before is in the files; give up, with a log line, if a writer fails."""
        for writer in list((self.all_writers or {}).values()):
            writer.flush()

    def close(self) -> None:
        """Write all values, sync the files to disk and close them; what is added afterwards starts new files."""
        self._close(None)

    def _close(self, end: RecordingEnd | None) -> None:
        writers, self.file_writer, self.all_writers = self.all_writers or {}, None, None
        for writer in writers.values():
            writer.close(end)

    def __enter__(self) -> "SummaryWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close(ending_of(error) if error is not None else None)

    def _add(self, plugin: str, tag: str, value: Any, size: int, global_step: Any, walltime: float | None) -> None:
        writer = self.file_writer or self._get_file_writer()
        writer.add_values(plugin, {checked_name(tag): value}, _VALUE_BYTES + size, global_step, walltime)

    def _child_directory(self, main_tag: str, name: str) -> str:
        """Return the directory of a run of add_scalars()."""
        return f"{self._get_file_writer().get_logdir()}/{main_tag.replace('/', '_')}_{name}"

    def _child(self, main_tag: str, name: str) -> FileWriter | None:
        """Return the writer of a run of add_scalars(); None, with one log line, if it cannot be created."""
        directory = self._child_directory(main_tag, name)
        writers = self.all_writers
        assert writers is not None
        if directory not in writers:
            try:
                writers[directory] = self._file_writer(directory)
            except OSError as error:
                self._warn_once("run", directory, f"cannot be recorded: {error}")
                return None
        return writers[directory]

    def _number(self, tag: str, value: Any) -> float | None:
        """Return a scalar as a double; None, with one log line a tag, if its own methods failed."""
        try:
            scalar = scalar_from(value)
        except UnreadableValueError as error:
            self._warn_unreadable(tag, error)
            return None
        if not scalar.is_exact:
            self._warn_once("inexact", tag, "rounded to the nearest double: no double represents it exactly.")
        return scalar.value

    def _array(self, tag: str, value: Any) -> Array | None:
        """Return a copy of an array; None, with one log line a tag, if its own methods failed."""
        try:
            return array_from(value)
        except UnreadableValueError as error:
            self._warn_unreadable(tag, error)
            return None

    def _real_array(self, tag: str, value: Any) -> Array | None:
        array = self._array(tag, value)
        if array is not None and array.is_complex:
            raise TypeError(f"The value of {tag!r} must contain real numbers; {short_repr(value)} is complex.")
        return array

    def _warn_unreadable(self, tag: str, error: UnreadableValueError) -> None:
        self._warn_once("unreadable", tag, f"skipped, its value cannot be read: {error}")

    def _warn_once(self, reason: str, tag: str, text: str) -> None:
        if (reason, tag) not in self._warned:
            self._warned.add((reason, tag))
            log.warn("%s: %s %s", self.log_dir, tag, text)


def _default_directory(comment: str) -> str:
    return os.path.join("runs", datetime.now().strftime("%b%d_%H-%M-%S") + "_" + platform.node() + comment)

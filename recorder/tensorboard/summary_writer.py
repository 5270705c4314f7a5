"""SummaryWriter: records what torch.utils.tensorboard.SummaryWriter and tensorboardX.SummaryWriter record.

The scalars are here. The other methods are in the modules of its base classes:

* add_arrays: add_tensor, add_histogram, add_histogram_raw, add_pr_curve, add_pr_curve_raw;
* add_media: add_image, add_images, add_image_with_boxes, add_figure, add_video, add_audio, add_text, add_mesh;
* add_graphs: add_graph, add_onnx_graph;
* add_dashboards: add_hparams, add_embedding, add_custom_scalars and its two short forms;
* run_writer: the constructor, get_logdir, flush, close, and what all of them use.

They check their arguments and queue a value, which the module of its kind (histogram, image, video, ...) encodes.
"""

from collections.abc import Mapping
from time import time
from typing import Any

from toposcope.recorder.arguments import checked_name
from toposcope.recorder.tensorboard.methods.add_arrays import AddArrays
from toposcope.recorder.tensorboard.methods.add_dashboards import AddDashboards
from toposcope.recorder.tensorboard.methods.add_graphs import AddGraphs
from toposcope.recorder.tensorboard.methods.add_media import AddMedia
from toposcope.recorder.values.arrays.foreign_values import short_repr

_MIN_STEP, _MAX_STEP = -(2**63), 2**63 - 1


class SummaryWriter(AddArrays, AddMedia, AddGraphs, AddDashboards):
    """Records values to event files that TensorBoard opens as its own, written like those of SummaryRecord.

    A drop-in for torch.utils.tensorboard.SummaryWriter, with the same methods and parameters:

        with SummaryWriter("runs/first") as writer:
            for step in range(1, 1001):
                writer.add_scalar("loss", train_step(), step)

    Steps are anything that int() accepts, and 0 if there is none. Values are numbers, arrays or tensors of any
    framework; they are copied, and encoded in a background thread. A value whose own methods fail is skipped, with one
    log line; a failure to write never stops the training. After close(), in a process forked from the writer's, and in
    a copy by pickle, the next value starts a new file.

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
            scalar_value: a real number, also as a str, or an array or tensor of any framework with one element.
            global_step: the step.
            walltime: in seconds since 1970. None: now.
            new_style: not used: TensorBoard shows both styles alike.
            double_precision: not used: the exact double is always recorded.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: the value does not have one element, or the step does not fit in 64 bits.
        """
        writer = self.file_writer or self._get_file_writer()
        # The most frequent case first, and as what EventQueue.put() does, without the call: it is most of the time that
        # recording takes from the training.
        if (
            type(scalar_value) is float
            and type(global_step) is int
            and walltime is None
            and type(tag) is str
            and tag
            and _MIN_STEP <= global_step <= _MAX_STEP
        ):
            queue = writer.queue
            events = queue.events
            event = time(), global_step, tag, scalar_value
            events.append(event)
            if not (queue.is_scheduled and len(events) < queue.lock_free_events) and not queue.finish_put(event):
                writer.put_again(event)
            return
        tag = checked_name(tag, "tag")
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
        main_tag = checked_name(main_tag, "main_tag")
        if not isinstance(tag_scalar_dict, Mapping):
            raise TypeError(f"tag_scalar_dict must be a dict, not {short_repr(tag_scalar_dict)}.")
        walltime = time() if walltime is None else walltime
        for name, value in tag_scalar_dict.items():
            number = self._number(main_tag, value)
            if number is not None and (writer := self._child(main_tag, str(name))) is not None:
                writer.add_scalars({main_tag: number}, global_step, walltime)

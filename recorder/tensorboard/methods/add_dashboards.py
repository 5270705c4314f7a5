"""The methods of SummaryWriter for the pages of TensorBoard: hyperparameters, embeddings and custom scalars."""

import os
from collections.abc import Mapping, Sequence
from time import time
from typing import Any

from toposcope.recorder.arguments import checked_name
from toposcope.recorder.tensorboard.methods.run_writer import VALUE_BYTES, RunWriter
from toposcope.recorder.values.arrays.foreign_values import short_repr


class AddDashboards(RunWriter):
    """The add_ methods for hyperparameters, embeddings and custom scalars."""

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
            TypeError: an argument is not a dict, a name is not a str, or hparam_domain_discrete does not match
                hparam_dict.
            ValueError: a hyperparameter or a metric is of another kind, or the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard.kinds.hparams import hparams_values

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
            writer.add_values("hparams", values, VALUE_BYTES, global_step)
        for tag, number in numbers.items():
            if number is not None:
                writer.add_scalars({tag: number}, global_step)
        writer.close()

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
        from toposcope.recorder.tensorboard.files.times import checked_step
        from toposcope.recorder.tensorboard.kinds.embedding import Embedding, labels_text, write_embedding

        tag = checked_name(tag, "tag")
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

    def add_custom_scalars(self, layout: Mapping[str, Mapping[str, Sequence[Any]]]) -> None:
        """Record the charts that TensorBoard draws on its page "custom scalars". The last layout is valid.

        Args:
            layout: {category: {title of a chart: ["Multiline", tags] or ["Margin", [value, lower, upper]]}}, of tags or
                regular expressions.

        Raises:
            TypeError: the layout is not such a mapping.
            ValueError: the kind of a chart is unknown, or a margin chart does not have three tags.
        """
        from toposcope.recorder.tensorboard.kinds.custom_scalars import TAG, layout_value

        value = layout_value(layout)
        self._add("custom_scalars", TAG, value, len(value.content), None, None)

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

"""The methods of SummaryWriter that record what one looks at or listens to: images, video, audio, text and meshes."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from toposcope.recorder.arguments import checked_name
from toposcope.recorder.tensorboard.methods.run_writer import RunWriter
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError, short_repr


class AddMedia(RunWriter):
    """The add_ methods for images, figures, video, audio, text and meshes."""

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Record an image with 1 to 4 channels; a batch of images is tiled in rows of eight.

        Args:
            tag: its name.
            img_tensor: an array or a tensor of any framework. Floats are in the range 0 to 1, integers 0 to 255; those
                of 16 bits beyond 255 are scaled to that range. Two channels are grey and alpha.
            global_step: the step.
            walltime: in seconds since 1970. None: now.
            dataformats: meaning of the dimensions: an order of "HW", "CHW" or "NCHW".

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: the shape does not match dataformats, or the step does not fit in 64 bits.
        """
        from toposcope.recorder.tensorboard.kinds.image import ImageValue, checked_layout

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
        from toposcope.recorder.tensorboard.kinds.boxes import BoxedImageValue
        from toposcope.recorder.tensorboard.kinds.image import checked_layout

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
        from toposcope.recorder.tensorboard.kinds import figure as figures

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
        from toposcope.recorder.tensorboard.kinds.video import VideoValue
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
        from toposcope.recorder.tensorboard.kinds.audio import AudioValue, audio_axes, checked_rate

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
        from toposcope.recorder.tensorboard.kinds.tensor import TextValue

        if not isinstance(text_string, str):
            raise TypeError(f"text_string must be a str, not {short_repr(text_string)}.")
        value = TextValue(str.__str__(text_string))
        self._add(
            "text", f"{checked_name(tag, 'tag')}/text_summary", value, 4 * len(text_string), global_step, walltime
        )

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
        from toposcope.recorder.tensorboard.kinds.mesh import mesh_values

        tag = checked_name(tag, "tag")
        config = "{}" if config_dict is None else json.dumps(config_dict, sort_keys=True)
        given = {"VERTEX": vertices, "FACE": faces, "COLOR": colors}
        parts = {name: self._real_array(tag, part) for name, part in given.items() if part is not None}
        arrays = {name: array for name, array in parts.items() if array is not None}
        if len(arrays) == len(parts):
            size = sum(array.values.nbytes for array in arrays.values())
            values = mesh_values(tag, arrays, config)
            self._get_file_writer().add_values("mesh", values, size, global_step, walltime)

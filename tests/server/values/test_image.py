"""Images of both dialects."""

import numpy as np
import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from support.summary_values import strings, tensorboard_tensor

from toposcope.proto.summary_pb2 import Summary
from toposcope.recorder.values.image import encode, image_of
from toposcope.server.values.image import MAX_IMAGES, OTHER, media_type, read_images

PNG = image_of(np.zeros((2, 3), np.uint8), "HW").png


def test_image_of_the_recorder() -> None:
    """Size and bytes equal those recorded."""
    (image,) = read_images(encode(image_of(np.zeros((5, 7, 3), np.uint8), "HWC")), "image")

    assert (image.width, image.height) == (7, 5)
    assert media_type(image.encoded) == "image/png"


@pytest.mark.parametrize(("height", "width"), [(0, 0), (-1, 9), (9, 0)])
def test_missing_size_is_read_from_the_image(height: int, width: int) -> None:
    """Likewise an invalid size."""
    message = Summary.Image(height=height, width=width, encoded_image=PNG)

    (image,) = read_images(message.SerializeToString(), "image")

    assert (image.width, image.height) == (3, 2)


def test_unknown_size_is_none() -> None:
    """The bytes are not an image."""
    (image,) = read_images(Summary.Image(encoded_image=b"<svg/>").SerializeToString(), "image")

    assert (image.width, image.height, media_type(image.encoded)) == (None, None, OTHER)


def test_value_of_tensorboard_has_several_images() -> None:
    """Width and height in digits precede the images."""
    first, second = read_images(strings(b"30", b"20", PNG, b"GIF89a").SerializeToString(), "tensor")

    assert (first.width, first.height, bytes(first.encoded)) == (30, 20, PNG)
    assert (second.width, second.height, bytes(second.encoded)) == (30, 20, b"GIF89a")


def test_invalid_digits_are_replaced_by_the_size_of_the_image() -> None:
    """Strings that are not numbers are ignored."""
    (image,) = read_images(strings(b"wide", b"9" * 400, PNG).SerializeToString(), "tensor")

    assert (image.width, image.height) == (3, 2)


def test_images_of_a_value_are_bounded() -> None:
    """Only the first ones are returned."""
    payload = strings(b"1", b"1", *[b"x"] * 1000).SerializeToString()

    assert len(read_images(payload, "tensor")) == MAX_IMAGES


@pytest.mark.parametrize("tensor", [strings(b"1"), tensorboard_tensor(1, [1], float_val=[1])])
def test_tensor_without_images_is_an_error(tensor: Message) -> None:
    """A tensor of images has at least width and height."""
    with pytest.raises(ValueError, match="strings"):
        read_images(tensor.SerializeToString(), "tensor")


@given(st.binary(max_size=60), st.integers(0, 90), st.sampled_from(["image", "tensor"]))
def test_arbitrary_bytes_are_an_image_or_a_value_error(noise: bytes, at: int, kind: str) -> None:
    """No other exception is raised."""
    message = Summary.Image(encoded_image=PNG) if kind == "image" else strings(b"1", b"1", PNG)
    sound = message.SerializeToString()
    try:
        images = read_images(sound[:at] + noise + sound[at:], kind)
    except ValueError:
        return
    assert all(media_type(image.encoded) for image in images)

"""The first array, the number of samples and the images of batches."""

from typing import Any

import numpy as np
import pytest

from toposcope.recorder.collecting.steps.batch_images import images_in
from toposcope.recorder.training.data.batch import first_array, sample_count

IMAGES = np.zeros((5, 3, 8, 6), np.float32)


@pytest.mark.parametrize(
    "batch",
    [IMAGES, (IMAGES, 1), [IMAGES], {"image": IMAGES, "label": 1}, ((IMAGES, 2), 3), [{"a": (IMAGES,)}, np.ones(3)]],
)
def test_first_array_is_found_in_nested_batches(batch: Any) -> None:
    """Data loaders yield nested tuples, lists and dicts."""
    assert first_array(batch) is IMAGES
    assert sample_count(batch) == 5
    assert images_in(batch).pixels.shape == IMAGES.shape


@pytest.mark.parametrize("batch", [None, 5, "text", (), {}, [[]], ["a", IMAGES], np.float32(1)])
def test_sample_count_of_batch_without_leading_array_is_unknown(batch: Any) -> None:
    """Strings and numbers do not determine the number of samples."""
    assert sample_count(batch) is None


@pytest.mark.parametrize(
    ("array", "layout"),
    [
        (np.zeros((2, 1, 8, 8)), "NCHW"),
        (np.zeros((2, 8, 8, 3)), "NHWC"),
        (np.zeros((2, 8, 8), np.uint8), "NHWC"),
    ],
)
def test_layout_follows_from_the_position_of_the_channels(array: Any, layout: str) -> None:
    """Grey uint8 images have no channel dimension."""
    assert images_in((array, 0)).layout == layout
    assert images_in((array, 0)).pixels.ndim == 4


@pytest.mark.parametrize(
    "array", [np.zeros((4, 8)), np.zeros((4, 8, 8)), np.zeros((4, 5, 8, 9)), np.zeros((0, 1, 8, 8)), "text", 3]
)
def test_batch_without_images_is_an_error(array: Any) -> None:
    """Tables, sequences and feature maps are not images."""
    with pytest.raises(ValueError, match="image"):
        images_in((array, 0))


def test_large_batches_are_truncated_to_32_768_pixels() -> None:
    """At least one image is kept."""
    assert len(images_in(np.zeros((300, 1, 32, 32), np.uint8)).pixels) == 32
    assert len(images_in(np.zeros((64, 80, 80, 3), np.uint8)).pixels) == 5
    assert len(images_in(np.zeros((2, 1, 1000, 1000), np.uint8)).pixels) == 1

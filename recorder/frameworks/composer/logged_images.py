"""The images and masks that are passed to Logger.log_images(), as values by tag."""

from typing import Any

from toposcope.recorder.loggers.image_batches import class_legend, image_batches, mask_images
from toposcope.recorder.values.wrapped import Image, Text


def image_values(
    images: Any, name: str, channels_last: bool, masks: dict[str, Any], mask_class_labels: dict[int, str] | None
) -> dict[str, Any]:
    """Return images as Image and the classes of masks as Text, with the tags of SummaryLogger.

    Raises:
        TypeError, ValueError, UnreadableValueError: as for image_batches().
    """
    groups = {name: image_batches(images, channels_last)}
    groups |= {f"{name}/{mask_name}": mask_images(mask) for mask_name, mask in masks.items()}
    values: dict[str, Any] = {}
    for tag, batches in groups.items():
        tags = [tag] if len(batches) == 1 else [f"{tag}/{index}" for index in range(len(batches))]
        values |= {each: Image(*batch) for each, batch in zip(tags, batches, strict=True)}
    if mask_class_labels:
        values[f"{name}/classes"] = Text(class_legend(mask_class_labels))
    return values

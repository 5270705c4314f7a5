"""SummaryMetadata of TensorBoard, which names the plugin of a tag."""

from functools import lru_cache

from toposcope.proto.tensorboard_pb2 import SummaryMetadata
from toposcope.proto.wire import bytes_head

_METADATA = 9


@lru_cache(maxsize=256)
def metadata_field(plugin: str, content: bytes = b"", display_name: str = "", description: str = "") -> bytes:
    """Return the encoded field of Summary.Value.

    Args:
        plugin: TensorBoard's name of it; "" if the other fields are all that is said.
        content: the plugin's own data.
        display_name: shown in place of the tag.
        description: Markdown.
    """
    metadata = SummaryMetadata()
    if plugin:
        metadata.plugin_data.plugin_name = plugin
    if content:
        metadata.plugin_data.content = content
    if display_name:
        metadata.display_name = display_name
    if description:
        metadata.summary_description = description
    encoded = metadata.SerializeToString()
    return bytes_head(_METADATA, len(encoded)) + encoded

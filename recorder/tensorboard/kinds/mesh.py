"""Meshes and point clouds of TensorBoard's plugin "mesh": one value for vertices, one for faces, one for colours."""

from typing import NamedTuple

from toposcope.proto.framing import Buffer
from toposcope.proto.tensorboard_plugins_pb2 import MeshPluginData
from toposcope.recorder.tensorboard.kinds.metadata import metadata_field
from toposcope.recorder.tensorboard.kinds.tensor import float_field
from toposcope.recorder.values.arrays.arrays import Array


class MeshValue(NamedTuple):
    """One component of a mesh."""

    name: str
    """The name of the mesh."""
    component: str
    """"VERTEX", "FACE" or "COLOR"."""
    array: Array
    """[batch, number, 3]: coordinates, indices of vertices, or RGB in the range 0 to 255."""
    components: int
    """Bits of the components that the mesh has."""
    config: str
    """Settings of the scene as JSON."""

    def fields(self) -> list[Buffer]:
        """Return the encoded fields of Summary.Value."""
        data = MeshPluginData(
            name=self.name,
            content_type=self.component,
            json_config=self.config,
            shape=self.array.values.shape,
            components=self.components,
        )
        return [metadata_field("mesh", data.SerializeToString()), *float_field(self.array.numbers())]


def mesh_values(name: str, parts: dict[str, Array], config: str) -> dict[str, MeshValue]:
    """Return the values of a mesh by tag.

    Args:
        name: of the mesh.
        parts: the array of each component.
        config: settings of the scene as JSON.

    Raises:
        ValueError: an array does not have the shape [batch, number, 3].
    """
    for component, array in parts.items():
        if array.values.ndim != 3 or array.values.shape[2] != 3:
            raise ValueError(
                f"The {component.lower()} array of a mesh must have the shape (batch, number, 3), "
                f"not {array.values.shape}."
            )
    components = sum(1 << MeshPluginData.ContentType.Value(component) for component in parts)
    return {
        f"{name}_{component}": MeshValue(name, component, array, components, config)
        for component, array in parts.items()
    }

"""Hyperparameters in YAML files beside a log."""

from typing import Any

from toposcope.server.places.place import Place, is_gone

LARGEST_FILE = 1 << 20
_DEEPEST = 32


def settings_stamp(path: str, place: Place) -> list[Any] | None:
    """Return what changes with a file; None if there is none.

    Raises:
        OSError: that is not known at present.
    """
    try:
        status = place.stat(path)
    except OSError as error:
        if is_gone(error):
            return None
        raise
    return [status.size, status.modified, status.inode]


def read_yaml(content: bytes) -> dict[str, Any]:
    """Return the mapping in a YAML file; objects of other languages and programs are texts.

    Raises:
        ValueError: it is malformed, too large, or no mapping.
    """
    import yaml

    if len(content) > LARGEST_FILE:
        raise ValueError(f"{len(content)} bytes exceed the limit of {LARGEST_FILE}")
    try:
        loaded = yaml.load(content, _loader())
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"malformed YAML: {str(error).splitlines()[0]}") from None
    if not isinstance(loaded, dict):
        raise ValueError("no mapping of names to values")
    return {str(name): plain(value) for name, value in loaded.items()}


def plain(value: Any, depth: int = 0) -> Any:
    """Return a value as plain data: what JSON does not have, or is nested too deeply, becomes a text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if depth < _DEEPEST and isinstance(value, dict):
        return {str(name): plain(item, depth + 1) for name, item in value.items()}
    if depth < _DEEPEST and isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in value]
    return "..." if depth >= _DEEPEST else str(value)


def _loader() -> Any:
    """Return a class that constructs plain data only; aliases, with which small files become huge, are refused."""
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError("aliases are not read")
            return super().compose_node(parent, index)

    def construct(loader: Any, _: str, node: Any) -> Any:
        if isinstance(node, yaml.MappingNode):
            return loader.construct_mapping(node, deep=True)
        if isinstance(node, yaml.SequenceNode):
            return loader.construct_sequence(node, deep=True)
        return loader.construct_scalar(node)

    Loader.add_multi_constructor("", construct)
    return Loader

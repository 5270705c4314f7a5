"""Which part of a tensor is asked for, in NumPy's notation: "[0,:,1:5]"."""

import re
from types import EllipsisType

_NUMBER = r"-?[0-9]{1,18}"
_INDEX = re.compile(_NUMBER)
_RANGE = re.compile(rf"({_NUMBER})?:({_NUMBER})?(?::({_NUMBER})?)?")

Part = int | slice | EllipsisType


def parse_slice(text: str, dims: tuple[int, ...]) -> tuple[Part, ...]:
    """Return what to index a tensor with; "" and "[]" mean all of it.

    Args:
        text: an index, a range "start:stop:step" with any of them left out, or "..." for each dimension, separated by
            commas, in brackets or not. Negative numbers count from the end; dimensions left out at the end are whole.
        dims: the sizes of the tensor.

    Raises:
        ValueError: a part is none of these, an index is outside its dimension, or there are more parts than dimensions.
    """
    inner = text.strip()
    if inner.startswith("[") and inner.endswith("]"):
        inner = inner[1:-1].strip()
    parts = tuple(_parse(part.strip(), text) for part in inner.split(",")) if inner else ()
    named = len(parts) - parts.count(...)
    if named > len(dims):
        raise ValueError(f"slice={text!r} has {named} parts, the tensor has {len(dims)} dimensions: {list(dims)}")
    if parts.count(...) > 1:
        raise ValueError(f"slice={text!r}: expected '...' once at most")
    _check_indices(parts, dims, text)
    return parts


def _parse(part: str, text: str) -> Part:
    if part == "...":
        return ...
    if _INDEX.fullmatch(part):
        return int(part)
    found = _RANGE.fullmatch(part)
    if not found:
        raise ValueError(f"slice={text!r}: {part!r} is no index, no range start:stop:step and not '...'")
    start, stop, step = (int(number) if number else None for number in found.groups())
    if step == 0:
        raise ValueError(f"slice={text!r}: the step of {part!r} is 0")
    return slice(start, stop, step)


def _check_indices(parts: tuple[Part, ...], dims: tuple[int, ...], text: str) -> None:
    before = parts.index(...) if ... in parts else len(parts)
    after = len(parts) - before - 1
    sizes = (*dims[:before], 0, *(dims[-after:] if after else ())) if ... in parts else dims
    for k, (part, size) in enumerate(zip(parts, sizes, strict=False)):
        if isinstance(part, int) and not -size <= part < size:
            raise ValueError(f"slice={text!r}: part {k + 1} is {part}, expected {-size} to {size - 1} in {list(dims)}")

"""Parsing of tensor slices in NumPy's notation, such as "[0,:,1:5]"."""

import re
from types import EllipsisType

_NUMBER = r"-?[0-9]{1,18}"
_INDEX = re.compile(_NUMBER)
_RANGE = re.compile(rf"({_NUMBER})?:({_NUMBER})?(?::({_NUMBER})?)?")

Part = int | slice | EllipsisType


def parse_slice(text: str, dims: tuple[int, ...]) -> tuple[Part, ...]:
    """Parse a slice to an index for a tensor; "" and "[]" select all of it.

    Args:
        text: comma-separated parts, optionally in brackets. A part is an index, a range "start:stop:step", in which
            all numbers are optional, or "...". Negative numbers count from the end; missing parts select all.
        dims: the dimensions of the tensor.

    Raises:
        ValueError: a part is invalid, an index is out of range, or there are more parts than dimensions.
    """
    inner = text.strip()
    if inner.startswith("[") and inner.endswith("]"):
        inner = inner[1:-1].strip()
    parts = tuple(_parse(part.strip(), text) for part in inner.split(",")) if inner else ()
    indexed = len(parts) - parts.count(...)
    if indexed > len(dims):
        raise ValueError(f"slice={text!r} has {indexed} parts, but the tensor has {len(dims)} dimensions: {list(dims)}")
    if parts.count(...) > 1:
        raise ValueError(f"slice={text!r}: expected '...' at most once")
    _check_indices(parts, dims, text)
    return parts


def _parse(part: str, text: str) -> Part:
    if part == "...":
        return ...
    if _INDEX.fullmatch(part):
        return int(part)
    match = _RANGE.fullmatch(part)
    if not match:
        raise ValueError(f"slice={text!r}: expected an index, a range start:stop:step or '...' instead of {part!r}")
    start, stop, step = (int(number) if number else None for number in match.groups())
    if step == 0:
        raise ValueError(f"slice={text!r}: the step of {part!r} must not be 0")
    return slice(start, stop, step)


def _check_indices(parts: tuple[Part, ...], dims: tuple[int, ...], text: str) -> None:
    before = parts.index(...) if ... in parts else len(parts)
    after = len(parts) - before - 1
    sizes = (*dims[:before], 0, *(dims[-after:] if after else ())) if ... in parts else dims
    for k, (part, size) in enumerate(zip(parts, sizes, strict=False)):
        if isinstance(part, int) and not -size <= part < size:
            expected = f"{-size} to {size - 1} in {list(dims)}"
            raise ValueError(f"slice={text!r}: part {k + 1} is {part}: expected {expected}")

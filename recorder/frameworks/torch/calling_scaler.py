"""Finds the GradScaler that calls an optimizer."""

from types import FrameType
from typing import Any

_DEPTH = 10
"""Frames between an optimizer and GradScaler.step(): wrappers of schedulers, of Accelerate and others."""


def calling_scaler(frame: FrameType | None, kind: type) -> Any:
    """Return the enabled GradScaler whose step() is being called in one of the frames; None if there is none."""
    for _ in range(_DEPTH):
        if frame is None:
            return None
        if frame.f_code.co_name == "step" and isinstance(caller := frame.f_locals.get("self"), kind):
            return caller if caller.is_enabled() else None  # type: ignore[attr-defined]
        frame = frame.f_back
    return None

"""The SystemExit that the main program has raised with a constant, read from its instructions; for Python 3.11."""

import dis
from types import FrameType

_NAME = ("LOAD_NAME", "SystemExit")
_CALLS = {number: [("PRECALL", number), ("CALL", number)] for number in (0, 1)}


def constant_exit(frame: FrameType) -> SystemExit | None:
    """Return the exception of `raise SystemExit(0)` if that is what a main program has executed last."""
    instructions = [
        (each.opname, each.argval) for each in dis.get_instructions(frame.f_code) if each.offset <= frame.f_lasti
    ]
    if not instructions or instructions.pop() != ("RAISE_VARARGS", 1):
        return None
    if instructions[-1:] == [_NAME] or instructions[-3:] == [_NAME, *_CALLS[0]]:
        return SystemExit()
    if instructions[-4:-3] == [_NAME] and instructions[-3][0] == "LOAD_CONST" and instructions[-2:] == _CALLS[1]:
        return SystemExit(instructions[-3][1])
    return None

"""Node names of a graph, from the names of PyTorch's modules and parameters."""

import re

# Parts that wrappers of inner modules add to the names of their parameters.
_WRAPPERS = ("_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")
_REFUSED = re.compile(r'[<>"/]')


def plain_name(name: str) -> str:
    """Return the name of a module or a parameter without the parts added by wrappers of inner modules."""
    return ".".join(part for part in name.split(".") if part not in _WRAPPERS)


def terminal_name(name: str) -> str:
    """Return the name of a parameter or an input with characters that a graph allows."""
    return _REFUSED.sub("_", plain_name(name)) or "_"


def path_of(module_name: str) -> str:
    """Return the scope of a module, such as "layers/1" for "layers.1"; "" for the outermost module."""
    return _REFUSED.sub("_", plain_name(module_name)).replace(".", "/")


def unique_name(name: str, taken: set[str]) -> str:
    """Return name, followed by a number if it is already in taken; add the result to taken."""
    unique, number = name, 0
    while unique in taken:
        number += 1
        unique = f"{name}_{number}"
    taken.add(unique)
    return unique

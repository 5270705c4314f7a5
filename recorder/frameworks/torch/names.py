"""Names in a graph: of PyTorch's modules and parameters, as our nodes have them."""

import re

# What wrappers of inner modules add to the names of their parameters.
_WRAPPERS = ("_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")
_REFUSED = re.compile(r'[<>"/]')


def plain_name(name: str) -> str:
    """Return the name of a module or a parameter without the parts that wrappers of inner modules add to it."""
    return ".".join(part for part in name.split(".") if part not in _WRAPPERS)


def terminal_name(name: str) -> str:
    """Return the name of a parameter or an input as a graph may have it."""
    return _REFUSED.sub("_", plain_name(name)) or "_"


def path_of(module_name: str) -> str:
    """Return the scope of a module: "layers/1" of "layers.1"; "" of the outermost one."""
    return _REFUSED.sub("_", plain_name(module_name)).replace(".", "/")


def unique_name(name: str, taken: set[str]) -> str:
    """Return name, or name and a number if it is taken already; it is taken then."""
    unique, number = name, 0
    while unique in taken:
        number += 1
        unique = f"{name}_{number}"
    taken.add(unique)
    return unique

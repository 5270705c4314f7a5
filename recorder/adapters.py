"""Adapters: the framework of an object, and the module of recorder.frameworks that implements a purpose for it.

The packages that recorder.frameworks builds on (training, checkpoints, landscapes) cannot import it. They define the
Protocol they need and look its implementation up here. No framework is imported: a module of PyTorch cannot exist
before the process has imported PyTorch.
"""

import sys
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any

from toposcope.recorder.imported import imported

_ADAPTERS = {
    ("plain", "framework"): "toposcope.recorder.frameworks.plain.framework",
    ("plain", "landscape"): "toposcope.recorder.frameworks.plain.landscape_model",
    ("torch", "framework"): "toposcope.recorder.frameworks.torch.facts.framework",
    ("torch", "graph"): "toposcope.recorder.frameworks.torch.graph.graph_source",
    ("torch", "steps"): "toposcope.recorder.frameworks.torch.training.steps",
    ("torch", "call_hook"): "toposcope.recorder.frameworks.torch.training.call_hook",
    ("torch", "optimizer_steps"): "toposcope.recorder.frameworks.torch.training.observed_steps",
    ("torch", "optimizer_norms"): "toposcope.recorder.frameworks.torch.training.optimizer_norms",
    ("torch", "cuda_scalar"): "toposcope.recorder.frameworks.torch.training.cuda_scalar",
    ("torch", "landscape"): "toposcope.recorder.frameworks.torch.landscape.landscape_model",
    ("torch", "export"): "toposcope.recorder.frameworks.torch.exported_program",
    ("torch", "flops"): "toposcope.recorder.frameworks.torch.training.flop_count",
    ("torch", "thor"): "toposcope.recorder.frameworks.torch.thor.create",
    ("mindspore", "framework"): "toposcope.recorder.frameworks.mindspore.facts.framework",
    ("mindspore", "graph"): "toposcope.recorder.frameworks.mindspore.facts.graph_source",
    ("mindspore", "operators"): "toposcope.recorder.frameworks.mindspore.facts.operators",
    ("mindspore", "landscape"): "toposcope.recorder.frameworks.mindspore.landscape.landscape_model",
    ("keras", "framework"): "toposcope.recorder.frameworks.keras.framework",
    ("jax", "framework"): "toposcope.recorder.frameworks.jax.framework",
    ("jax", "landscape"): "toposcope.recorder.frameworks.jax.landscape_model",
}
"""Framework and purpose to the module of the adapter; "plain" is for objects of no framework."""
_PACKAGES = {
    "keras": {"keras"},  # First: its models are also modules of PyTorch if that is the backend.
    "torch": {"torch"},
    "mindspore": {"mindspore"},
    "jax": {"jax", "jaxlib", "flax", "equinox", "optax"},
}
"""Framework to the packages whose classes are its own."""
_modules: dict[str, ModuleType] = {}
"""The adapters that have been imported, by name."""


def adapter(framework: str, purpose: str) -> Any:
    """Return the module of an adapter; None if the process has not imported the framework.

    Raises:
        KeyError: there is no such adapter.
    """
    name = _ADAPTERS[framework, purpose]
    if framework != "plain" and framework not in sys.modules:
        return None
    module = _modules.get(name)
    if module is None:
        # sys.modules may contain a module that another thread is still importing; import_module() waits for it.
        module = _modules[name] = import_module(name)
    return module


def framework_name(thing: object) -> str:
    """Return "keras", "torch", "mindspore", "jax" or "plain", by the packages of the classes of an object.

    Of a tuple, which may contain several optimizers, its first item decides. A nested structure with arrays of JAX is
    JAX's.
    """
    if type(thing) is tuple and thing:
        thing = thing[0]
    packages = _packages_of(type(thing).__mro__)
    for name, own_packages in _PACKAGES.items():
        if name in sys.modules and not own_packages.isdisjoint(packages):
            return name
    return "jax" if has_jax_arrays(thing) else "plain"


@lru_cache(maxsize=64)
def _packages_of(kinds: tuple[type, ...]) -> frozenset[str]:
    """Return the top-level packages of classes."""
    return frozenset(kind.__module__.split(".")[0] for kind in kinds)


def has_jax_arrays(thing: object) -> bool:
    """Return whether an object is a pytree with arrays of JAX."""
    tree = getattr(imported("jax"), "tree_util", None)
    if tree is None:
        return False
    try:
        return any(is_jax_array(leaf) for leaf in tree.tree_leaves(thing))
    except Exception:  # Keys of a dict that cannot be compared, for example.
        return False


def is_jax_array(thing: object) -> bool:
    """Return whether an object is a jax.Array."""
    array = getattr(imported("jax"), "Array", None)
    return array is not None and isinstance(thing, array)


def is_module(thing: object) -> bool:
    """Return whether an object is a torch.nn.Module."""
    module = getattr(getattr(imported("torch"), "nn", None), "Module", None)
    return module is not None and isinstance(thing, module)


def is_tensor(thing: object) -> bool:
    """Return whether an object is a torch.Tensor."""
    tensor = getattr(imported("torch"), "Tensor", None)
    return tensor is not None and isinstance(thing, tensor)


def is_cell(thing: object) -> bool:
    """Return whether an object is a mindspore.nn.Cell."""
    return "mindspore" in sys.modules and not isinstance(thing, type) and hasattr(thing, "get_func_graph_proto")

"""Sharded tensors (DTensors of PyTorch's FSDP2 and tensor parallelism): gathering them, and sharding whole tensors."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from toposcope.recorder.checkpoints.checkpoint import leaves_of
from toposcope.recorder.framework import SEVERAL_OPTIMIZERS


def is_sharded(tensor: object) -> bool:
    """Return whether a tensor is sharded over processes."""
    return hasattr(tensor, "full_tensor") and hasattr(tensor, "to_local") and hasattr(tensor, "placements")


def has_sharded_tensors(tree: object) -> bool:
    """Return whether a tree of mappings, lists and tuples contains a sharded tensor."""
    return any(map(is_sharded, leaves_of(tree)))


def gather(tensor: Any) -> Any:
    """Return the whole tensor on the CPU; all processes that share it must call this, in the same order."""
    return tensor.detach().full_tensor().cpu()


def local_shard(tensor: Any) -> Any:
    """Return the shard of this process."""
    return tensor.detach().to_local()


def join_gathering(tree: object) -> None:
    """Take part in gathering all sharded tensors in a tree, for another process that saves them."""
    for leaf in leaves_of(tree):
        if is_sharded(leaf):
            gather(leaf)


def sharded_like(state: Mapping[str, Any], template: Mapping[str, Any]) -> dict[str, Any]:
    """Return state with its tensors (whole, or shards of this process) sharded like those in template."""
    return {name: _sharded_like(tensor, template.get(name)) for name, tensor in state.items()}


def optimizer_sharded_like(state: Mapping[str, Any], optimizer: Any) -> Mapping[str, Any]:
    """Return the state of one or several PyTorch optimizers with the tensors of each parameter sharded like it."""
    if isinstance(optimizer, tuple):
        pairs = zip(state[SEVERAL_OPTIMIZERS], optimizer, strict=True)
        return {SEVERAL_OPTIMIZERS: [optimizer_sharded_like(single_state, single) for single_state, single in pairs]}
    parameters = [parameter for group in getattr(optimizer, "param_groups", []) for parameter in group["params"]]
    if not has_sharded_tensors(parameters):
        return state
    moments = {
        index: {name: _sharded_like(value, parameters[index]) for name, value in values.items()}
        for index, values in state["state"].items()
    }
    return {**state, "state": moments}


def broadcast_decision(decision: bool) -> bool:
    """Return the decision of rank 0; all processes of torch.distributed must call this."""
    distributed: Any = import_module("torch.distributed")
    decisions = [decision]
    distributed.broadcast_object_list(decisions, src=0)
    return decisions[0]


def _sharded_like(value: Any, template: Any) -> Any:
    if not is_sharded(template) or is_sharded(value) or not hasattr(value, "shape"):
        return value
    distributed: Any = import_module("torch.distributed.tensor")
    moved = value.to(template.to_local().device)
    if moved.shape == template.shape:
        return distributed.distribute_tensor(moved, template.device_mesh, template.placements)
    if moved.shape == template.to_local().shape:
        return distributed.DTensor.from_local(
            moved, template.device_mesh, template.placements, shape=template.shape, stride=template.stride()
        )
    return value

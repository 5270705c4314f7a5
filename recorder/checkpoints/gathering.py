"""Gathering: tensors that processes share (DTensors of PyTorch's FSDP2 and tensor parallelism), whole or in part."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from toposcope.recorder.checkpoints.checkpoint import leaves_of
from toposcope.recorder.framework import SEVERAL


def is_sharded(tensor: object) -> bool:
    """Say whether processes share a tensor."""
    return hasattr(tensor, "full_tensor") and hasattr(tensor, "to_local") and hasattr(tensor, "placements")


def holds_shards(tree: object) -> bool:
    """Say whether there is a shared tensor among dicts, lists and tuples."""
    return any(map(is_sharded, leaves_of(tree)))


def gathered(tensor: Any) -> Any:
    """Return a shared tensor whole, on the CPU; all processes that share it have to call this, in the same order."""
    return tensor.detach().full_tensor().cpu()


def local_part(tensor: Any) -> Any:
    """Return what this process has of a shared tensor."""
    return tensor.detach().to_local()


def take_part(tree: object) -> None:
    """Call gathered() for all shared tensors in a tree, for another process that keeps them."""
    for leaf in leaves_of(tree):
        if is_sharded(leaf):
            gathered(leaf)


def shared_out(state: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return state with whole tensors, or this process's parts, made into tensors shared as those in own are."""
    return {name: _shared_as(tensor, own.get(name)) for name, tensor in state.items()}


def optimizer_shared_out(state: Mapping[str, Any], optimizer: Any) -> Mapping[str, Any]:
    """Return the state of PyTorch's optimizers, one or a tuple, with what belongs to a parameter shared as that is."""
    if isinstance(optimizer, tuple):
        pairs = zip(state[SEVERAL], optimizer, strict=True)
        return {SEVERAL: [optimizer_shared_out(of_each, each) for of_each, each in pairs]}
    parameters = [parameter for group in getattr(optimizer, "param_groups", []) for parameter in group["params"]]
    if not holds_shards(parameters):
        return state
    moments = {
        index: {name: _shared_as(value, parameters[index]) for name, value in of_parameter.items()}
        for index, of_parameter in state["state"].items()
    }
    return {**state, "state": moments}


def agreed(decision: bool) -> bool:
    """Return rank 0's decision, in all processes of torch.distributed, each of which has to call this."""
    distributed: Any = import_module("torch.distributed")
    decisions = [decision]
    distributed.broadcast_object_list(decisions, src=0)
    return decisions[0]


def _shared_as(value: Any, own: Any) -> Any:
    if not is_sharded(own) or is_sharded(value) or not hasattr(value, "shape"):
        return value
    sharing: Any = import_module("torch.distributed.tensor")
    placed = value.to(own.to_local().device)
    if placed.shape == own.shape:
        return sharing.distribute_tensor(placed, own.device_mesh, own.placements)
    if placed.shape == own.to_local().shape:
        return sharing.DTensor.from_local(placed, own.device_mesh, own.placements, shape=own.shape, stride=own.stride())
    return value

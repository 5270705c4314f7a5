"""The NVIDIA GPUs that this process may use: their names and how busy they are, as NVML tells, and PyTorch's memory."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

GIB = 2**30


class Gpu(NamedTuple):
    """A GPU of this machine."""

    number: int
    """NVML's and nvidia-smi's."""
    name: str
    handle: Any
    """NVML's."""


def gpus_of(environment: Mapping[str, str]) -> list[Gpu]:
    """Return the GPUs that CUDA_VISIBLE_DEVICES leaves to this process, in its order; [] without NVML.

    Of several, a process that was started with a LOCAL_RANK has the one of this position, as launchers give them out.
    """
    try:
        nvml = import_module("pynvml")
        nvml.nvmlInit()
        handles = [nvml.nvmlDeviceGetHandleByIndex(number) for number in range(nvml.nvmlDeviceGetCount())]
        gpus = [Gpu(number, _text(nvml.nvmlDeviceGetName(handle)), handle) for number, handle in enumerate(handles)]
        uuids = [_text(nvml.nvmlDeviceGetUUID(handle)) for handle in handles]
    except Exception:  # No package, no driver, no GPU, or one that is lost: nothing to tell.
        return []
    chosen = [gpus[number] for number in _visible(environment.get("CUDA_VISIBLE_DEVICES"), uuids)]
    local_rank = environment.get("LOCAL_RANK", "")
    if local_rank.isdecimal() and int(local_rank) < len(chosen):
        return [chosen[int(local_rank)]]
    return chosen


def gpu_readers(gpus: list[Gpu]) -> dict[str, Callable[[], float]]:
    """Return, by tag, functions that read a figure of a GPU, those that its driver supports."""
    readers = {f"machine/gpu{gpu.number}/{name}": read for gpu in gpus for name, read in _readers(gpu.handle).items()}
    return {tag: read for tag, read in readers.items() if _works(read)}


def torch_memory() -> dict[str, float]:
    """Return, by tag, the GiB that PyTorch's allocator holds on each CUDA device it uses; the numbers are PyTorch's."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return {}
    figures = {}
    for device in range(torch.cuda.device_count()):
        if reserved := torch.cuda.memory_reserved(device):
            figures[f"machine/cuda{device}/reserved_gib"] = reserved / GIB
            figures[f"machine/cuda{device}/allocated_gib"] = torch.cuda.memory_allocated(device) / GIB
    return figures


def _visible(devices: str | None, uuids: list[str]) -> list[int]:
    """Return the numbers of the devices that are named, by number or by the beginning of their UUID.

    As in CUDA, the first name that is none ends the list.
    """
    if devices is None:
        return list(range(len(uuids)))
    chosen: list[int] = []
    for device in map(str.strip, devices.split(",")):
        matches = [number for number, uuid in enumerate(uuids) if device and uuid.startswith(device)]
        number = int(device) if device.isdecimal() else matches[0] if len(matches) == 1 else -1
        if not 0 <= number < len(uuids):
            break
        chosen.append(number)
    return chosen


def _readers(handle: Any) -> dict[str, Callable[[], float]]:
    nvml = import_module("pynvml")
    return {
        "utilization_percent": lambda: nvml.nvmlDeviceGetUtilizationRates(handle).gpu,
        "memory_gib": lambda: nvml.nvmlDeviceGetMemoryInfo(handle).used / GIB,
        "temperature_celsius": lambda: nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU),
        "power_watts": lambda: nvml.nvmlDeviceGetPowerUsage(handle) / 1000,
    }


def _works(read: Callable[[], float]) -> bool:
    try:
        read()
    except Exception:  # NVMLError_NotSupported: GeForce tells no power, a GPU that is split by MIG no utilization.
        return False
    return True


def _text(name: str | bytes) -> str:
    return name.decode(errors="replace") if isinstance(name, bytes) else name

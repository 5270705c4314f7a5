"""The NVIDIA GPUs visible to this process: names and utilization from NVML, and PyTorch's memory."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from toposcope.recorder.imported import imported

GIB = 2**30


class Gpu(NamedTuple):
    """A GPU of this machine."""

    number: int
    """The index in NVML and nvidia-smi."""
    name: str
    handle: Any
    """The device handle of NVML."""


def gpus_of(environment: Mapping[str, str]) -> list[Gpu]:
    """Return the GPUs in CUDA_VISIBLE_DEVICES, in its order; all if it is not set, [] without NVML.

    A process with a LOCAL_RANK has only the GPU at that position, as launchers assign one GPU to each process.
    """
    try:
        nvml = import_module("pynvml")
        nvml.nvmlInit()
        handles = [nvml.nvmlDeviceGetHandleByIndex(number) for number in range(nvml.nvmlDeviceGetCount())]
        gpus = [Gpu(number, _text(nvml.nvmlDeviceGetName(handle)), handle) for number, handle in enumerate(handles)]
        uuids = [_text(nvml.nvmlDeviceGetUUID(handle)) for handle in handles]
    except Exception:  # No package, no driver, no GPU, or a GPU that was lost.
        return []
    visible = [gpus[number] for number in _visible(environment.get("CUDA_VISIBLE_DEVICES"), uuids)]
    local_rank = environment.get("LOCAL_RANK", "")
    if local_rank.isdecimal() and int(local_rank) < len(visible):
        return [visible[int(local_rank)]]
    return visible


def gpu_readers(gpus: list[Gpu]) -> dict[str, Callable[[], float]]:
    """Return functions that read a metric of a GPU, by tag; only metrics that the driver supports."""
    readers = {f"machine/gpu{gpu.number}/{name}": read for gpu in gpus for name, read in _readers(gpu.handle).items()}
    return supported(readers)


def supported(readers: Mapping[str, Callable[[], float]]) -> dict[str, Callable[[], float]]:
    """Return the readers that the driver supports: those that do not raise now."""
    return {name: read for name, read in readers.items() if _is_supported(read)}


def torch_memory() -> dict[str, float]:
    """Return the GiB that PyTorch's allocator uses on each CUDA device, by tag with PyTorch's device index."""
    torch = imported("torch")
    if torch is None or not torch.cuda.is_initialized():
        return {}
    metrics = {}
    for device in range(torch.cuda.device_count()):
        if reserved := torch.cuda.memory_reserved(device):
            metrics[f"machine/cuda{device}/reserved_gib"] = reserved / GIB
            metrics[f"machine/cuda{device}/allocated_gib"] = torch.cuda.memory_allocated(device) / GIB
    return metrics


def _visible(devices: str | None, uuids: list[str]) -> list[int]:
    """Return the indexes of devices listed by index or UUID prefix.

    As in CUDA, an invalid entry ends the list.
    """
    if devices is None:
        return list(range(len(uuids)))
    visible: list[int] = []
    for device in map(str.strip, devices.split(",")):
        matches = [number for number, uuid in enumerate(uuids) if device and uuid.startswith(device)]
        number = int(device) if device.isdecimal() else matches[0] if len(matches) == 1 else -1
        if not 0 <= number < len(uuids):
            break
        visible.append(number)
    return visible


def _readers(handle: Any) -> dict[str, Callable[[], float]]:
    nvml = import_module("pynvml")
    return {
        "utilization_percent": lambda: nvml.nvmlDeviceGetUtilizationRates(handle).gpu,
        "memory_gib": lambda: nvml.nvmlDeviceGetMemoryInfo(handle).used / GIB,
        "temperature_celsius": lambda: nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU),
        "power_watts": lambda: nvml.nvmlDeviceGetPowerUsage(handle) / 1000,
    }


def _is_supported(read: Callable[[], float]) -> bool:
    try:
        read()
    except Exception:  # NVMLError_NotSupported, for example for the power of a GeForce or the utilization under MIG.
        return False
    return True


def _text(name: str | bytes) -> str:
    return name.decode(errors="replace") if isinstance(name, bytes) else name

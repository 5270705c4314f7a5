"""Peak FLOP/s of GPUs, from the data sheets of NVIDIA, for dense matrices."""

import re

# The first pattern that is found in the device name of CUDA: FLOP/s in float32, and in float16 and bfloat16 with tensor
# cores. Volta and Turing have no bfloat16.
_PEAKS: tuple[tuple[str, dict[str, float]], ...] = (
    (r"B200|GB200", {"fp32": 80e12, "amp_fp16": 2250e12, "amp_bf16": 2250e12}),
    (r"H100 NVL", {"fp32": 60e12, "amp_fp16": 835.5e12, "amp_bf16": 835.5e12}),
    (r"H100 PCIe", {"fp32": 51.2e12, "amp_fp16": 756.5e12, "amp_bf16": 756.5e12}),
    (r"GH200|H200|H100|H800", {"fp32": 67e12, "amp_fp16": 989.5e12, "amp_bf16": 989.5e12}),
    (r"A100|A800", {"fp32": 19.5e12, "amp_fp16": 312e12, "amp_bf16": 312e12}),
    (r"A10\b", {"fp32": 31.2e12, "amp_fp16": 125e12, "amp_bf16": 125e12}),
    (r"L40S", {"fp32": 91.6e12, "amp_fp16": 362e12, "amp_bf16": 362e12}),
    (r"L4\b", {"fp32": 30.3e12, "amp_fp16": 121e12, "amp_bf16": 121e12}),
    (r"V100-SXM", {"fp32": 15.7e12, "amp_fp16": 125e12}),
    (r"V100-PCIE", {"fp32": 14e12, "amp_fp16": 112e12}),
    (r"T4\b", {"fp32": 8.1e12, "amp_fp16": 65e12}),
)


def peak_flops(device_name: str, precision: str) -> float | None:
    """Return the peak FLOP/s of a GPU; None if it is unknown.

    Args:
        device_name: as torch.cuda.get_device_name() returns it: "NVIDIA H200".
        precision: of the computation: "fp32", "amp_fp16" or "amp_bf16".
    """
    peaks = next((peaks for pattern, peaks in _PEAKS if re.search(pattern, device_name, re.IGNORECASE)), {})
    return peaks.get(precision)

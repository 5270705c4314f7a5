"""Checkpoints in the format of mindspore.save_checkpoint(), readable by its load_checkpoint() and by ours."""

import json
import os
from importlib import import_module
from typing import Any

import numpy as np

from toposcope.recorder.checkpoints.checkpoint import Checkpoint
from toposcope.recorder.checkpoints.files.protection import Protection

_KEY = "toposcope.content"


def write(checkpoint: Checkpoint, path: str, protection: Protection, file_format: str) -> None:
    """Write a checkpoint of MindSpore tensors to the file *path*.

    The format does not store which tensors belong to the optimizer, nor the appended values exactly. An additional
    tensor of bytes contains both; MindSpore loads it like any other tensor.

    Raises:
        ValueError: MindSpore does not support the combination of options, a key and crc_check for example.
        OSError: the file cannot be written.
    """
    mindspore: Any = import_module("mindspore")
    optimizer = checkpoint.optimizer or {}
    tensors = [{"name": name, "data": data} for name, data in {**optimizer, **checkpoint.network}.items()]
    is_saved = checkpoint.optimizer is not None
    names = sorted(optimizer) if is_saved else None
    content = {"appended": checkpoint.appended, "optimizer": names, "step": checkpoint.step}
    named = {_KEY: mindspore.Tensor(np.frombuffer(json.dumps(content).encode(), np.uint8).copy())}
    if file_format == "safetensors":  # It does not support texts.
        named |= {name: value for name, value in checkpoint.appended.items() if not isinstance(value, str)}
    else:
        named |= checkpoint.appended
    part = f"{path}.{file_format}"  # MindSpore would add the extension.
    key = {"enc_key": protection.key, "enc_mode": protection.mode} if protection.key is not None else {}
    try:
        mindspore.save_checkpoint(
            tensors, part, append_dict=named, crc_check=protection.crc_check, format=file_format, **key
        )
    except BaseException:
        if os.path.exists(part):
            os.unlink(part)
        raise
    os.replace(part, path)


def read(path: str, key: bytes | None, mode: str, file_format: str) -> Checkpoint:
    """Return the checkpoint in the file *path*; all tensors of a file not written by us belong to the network.

    Raises:
        ImportError: MindSpore is not installed.
        Exception: of any type, if the file is damaged or the key is wrong.
    """
    mindspore: Any = import_module("mindspore")
    # MindSpore verifies the checksum only on request, and ignores a missing one.
    tensors = mindspore.load_checkpoint(path, dec_key=key, dec_mode=mode, crc_check=key is None, format=file_format)
    if _KEY not in tensors:
        return Checkpoint(tensors, None, {})
    content = json.loads(tensors.pop(_KEY).asnumpy().tobytes())
    for name in content["appended"]:
        tensors.pop(name, None)
    names = content["optimizer"]
    optimizer = None if names is None else {name: tensors.pop(name) for name in names if name in tensors}
    return Checkpoint(tensors, optimizer, content["appended"], content["step"])

"""Checkpoints as mindspore.save_checkpoint() writes them, for its load_checkpoint() and for ours."""

import json
import os
from importlib import import_module
from typing import Any

import numpy as np

from toposcope.recorder.checkpoints.checkpoint import Checkpoint
from toposcope.recorder.checkpoints.protection import Protection

_KEY = "toposcope.content"


def write(checkpoint: Checkpoint, path: str, protection: Protection, file_format: str) -> None:
    """Write a checkpoint of MindSpore's tensors into the file *path*.

    MindSpore's own files tell neither which tensors are the optimizer's nor the appended values exactly: one more
    tensor of bytes does, which MindSpore loads with the others.

    Raises:
        ValueError: MindSpore does not write so, as with both a key and crc_check.
        OSError: the file cannot be written.
    """
    mindspore: Any = import_module("mindspore")
    optimizer = checkpoint.optimizer or {}
    tensors = [{"name": name, "data": data} for name, data in {**optimizer, **checkpoint.network}.items()]
    is_saved = checkpoint.optimizer is not None
    content = {"appended": checkpoint.appended, "optimizer": sorted(optimizer) if is_saved else None}
    named = {_KEY: mindspore.Tensor(np.frombuffer(json.dumps(content).encode(), np.uint8).copy())}
    if file_format == "safetensors":  # It holds no texts.
        named |= {name: value for name, value in checkpoint.appended.items() if not isinstance(value, str)}
    else:
        named |= checkpoint.appended
    own = f"{path}.{file_format}"  # It would add the ending itself.
    key = {"enc_key": protection.key, "enc_mode": protection.mode} if protection.key is not None else {}
    try:
        mindspore.save_checkpoint(
            tensors, own, append_dict=named, crc_check=protection.crc_check, format=file_format, **key
        )
    except BaseException:
        if os.path.exists(own):
            os.unlink(own)
        raise
    os.replace(own, path)


def read(path: str, key: bytes | None, mode: str, file_format: str) -> Checkpoint:
    """Return the checkpoint in the file *path*; one of MindSpore alone is all network.

    Raises:
        ImportError: MindSpore is not installed.
        Exception: any, when the file is damaged or the key does not fit.
    """
    mindspore: Any = import_module("mindspore")
    # Its checksum is looked for only when asked for, and its absence is no error.
    tensors = mindspore.load_checkpoint(path, dec_key=key, dec_mode=mode, crc_check=key is None, format=file_format)
    if _KEY not in tensors:
        return Checkpoint(tensors, None, {})
    content = json.loads(tensors.pop(_KEY).asnumpy().tobytes())
    for name in content["appended"]:
        tensors.pop(name, None)
    names = content["optimizer"]
    optimizer = None if names is None else {name: tensors.pop(name) for name in names if name in tensors}
    return Checkpoint(tensors, optimizer, content["appended"])

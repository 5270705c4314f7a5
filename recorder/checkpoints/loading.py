"""Loading: a checkpoint from its file, whatever its format, which the first bytes tell."""

import os
import zipfile
from typing import BinaryIO

from toposcope.recorder.checkpoints import mindspore_file, numpy_file, safetensors_file, torch_file
from toposcope.recorder.checkpoints.arguments import checked_key, checked_mode, checked_path
from toposcope.recorder.checkpoints.checkpoint import Checkpoint
from toposcope.recorder.checkpoints.protection import unprotected_reader

_ZIP = b"PK\3\4"
# A field of bytes in protobuf; and the two numbers by which MindSpore marks encrypted blocks, from the second byte on.
_MINDSPORE, _MINDSPORE_ENCRYPTED = b"\n", b"\x5e\x3a\x7f"


def load_checkpoint(path: str | os.PathLike[str], key: bytes | None = None, mode: str = "AES-GCM") -> Checkpoint:
    """Return what a file holds; nothing in it is executed (no pickle but torch's weights_only).

    Files of torch.save(), np.savez(), safetensors and mindspore.save_checkpoint() that others wrote are read too.

    Args:
        path: of the file.
        key: the enc_key of an encrypted file; of no account for others.
        mode: its enc_mode.

    Returns:
        The network's tensors (torch's on the CPU, MindSpore's, or arrays), the optimizer's state or None, and the
        appended values. restore() puts them into a network.

    Raises:
        TypeError: path is no path.
        ValueError: the file is of no format that is known, damaged or cut, or holds more than a checkpoint; it is
            encrypted, and key or mode is missing or wrong; key is no key of AES.
        ImportError: the file needs a package that is not installed; the message says which.
        OSError: the file cannot be read.
    """
    path = checked_path("path", path)
    key, mode = checked_key("key", key), checked_mode("mode", mode)
    with open(path, "rb") as file:
        try:
            return _read(file, path, key, mode)
        except (OSError, ImportError):
            raise
        except Exception as error:  # Damaged files raise all kinds of them.
            raise ValueError(f"{path!r} is no checkpoint that can be read: {_reason(error)}.") from error


def _read(file: BinaryIO, path: str, key: bytes | None, mode: str) -> Checkpoint:
    content = unprotected_reader(file, key, mode)
    content.seek(0)
    head = content.read(9)
    content.seek(0)
    if head.startswith(_ZIP):
        try:
            with zipfile.ZipFile(content) as archive:
                is_torch = any(name.endswith("/data.pkl") for name in archive.namelist())
        except zipfile.BadZipFile:
            raise ValueError(
                "it begins like an archive of torch.save() or np.savez() and has no end of one: it is cut or damaged"
            ) from None
        content.seek(0)
        return torch_file.read(content) if is_torch else numpy_file.read(content)
    if head[8:] == b"{":
        if safetensors_file.metadata_of(content).get("format") == "ms":
            return mindspore_file.read(path, None, mode, "safetensors")
        return safetensors_file.read(content)
    if head[1:4] == _MINDSPORE_ENCRYPTED:
        if key is None:
            raise ValueError("it is encrypted, and no key is given")
        return mindspore_file.read(path, key, mode, "ckpt")
    if head.startswith(_MINDSPORE):
        return mindspore_file.read(path, None, mode, "ckpt")
    raise ValueError("its first bytes are of no format that is known, or it is cut")


def _reason(error: Exception) -> str:
    text = str(error).strip().rstrip(".")
    return text.splitlines()[0] if text else type(error).__name__

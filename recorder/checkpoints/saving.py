"""Saving: a network, its optimizer and what the user adds, as a file."""

import os
from collections.abc import Mapping
from typing import Any

from toposcope.recorder.checkpoints import mindspore_file, numpy_file, safetensors_file, torch_file
from toposcope.recorder.checkpoints.arguments import checked_appended, checked_key, checked_mode, checked_path
from toposcope.recorder.checkpoints.atomic_file import atomic_file
from toposcope.recorder.checkpoints.capturing import capture, states_of
from toposcope.recorder.checkpoints.checkpoint import Appended, Checkpoint, library_of
from toposcope.recorder.checkpoints.protection import Protection, protected_writer


def save_checkpoint(
    network: Any,
    path: str | os.PathLike[str],
    *,
    optimizer: Any = None,
    append: Mapping[str, Appended] | None = None,
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    crc_check: bool = False,
) -> None:
    """Save a network as it is now; an existing file is replaced when the new one is whole.

        save_checkpoint(network, "best.ckpt", optimizer=optimizer, append={"accuracy": 0.93})

    A path that ends with ".safetensors" becomes such a file. Of others, PyTorch's networks become files of torch.save()
    and MindSpore's those of mindspore.save_checkpoint(), which the frameworks read themselves unless they are encrypted
    by us; all else becomes an archive of NumPy's. load_checkpoint() reads them all. Tensors that processes share are
    gather: all of them have to call this, each with a path of its own.

    Args:
        network: a torch.nn.Module, a mindspore.nn.Cell, an object with parameters(), or a mapping of names to tensors.
        path: of the file, in a directory that exists.
        optimizer: saved as well, one or a tuple or list of several, unless it is None.
        append: names to int, float, bool or str, saved as well.
        enc_key: key of AES, 16, 24 or 32 bytes; None: not encrypted.
        enc_mode: "AES-GCM" or "AES-CBC".
        crc_check: whether the file ends with a checksum, which load_checkpoint() verifies.

    Raises:
        TypeError: network has no parameters, its optimizer holds what cannot be saved, or path is no path.
        ValueError: another argument is wrong, or a .safetensors file is to be encrypted, to have a checksum, or to hold
            a module's extra state that is no tensor, number or text.
        ImportError: the package that enc_key or the format needs is not installed; the message says which.
        OSError: the file cannot be written.
    """
    path = checked_path("path", path)
    file_format = "safetensors" if path.endswith(".safetensors") else "ckpt"
    protection = Protection(checked_key("enc_key", enc_key), checked_mode("enc_mode", enc_mode), crc_check)
    if file_format == "safetensors" and (protection.key is not None or crc_check):
        raise ValueError(
            "A .safetensors file is neither encrypted nor has it a checksum: give neither, or end in .ckpt."
        )
    appended = checked_appended("append", append or {})
    write_checkpoint(capture(*states_of(network, optimizer), appended), path, protection, file_format)


def write_checkpoint(checkpoint: Checkpoint, path: str, protection: Protection, file_format: str) -> None:
    """Write a file of format "ckpt" or "safetensors"; raises as save_checkpoint()."""
    library = library_of(checkpoint)
    with atomic_file(path) as part:
        if library == "mindspore":
            mindspore_file.write(checkpoint, part, protection, file_format)
        elif file_format == "safetensors":
            safetensors_file.write(checkpoint, part)
        else:
            write = torch_file.write if library == "torch" else numpy_file.write
            with open(part, "wb") as file, protected_writer(file, protection) as protected:
                write(checkpoint, protected)

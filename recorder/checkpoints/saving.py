"""Saves a network, its optimizer and further values to a file."""

import os
from collections.abc import Mapping
from typing import Any

from toposcope.recorder.checkpoints.arguments import checked_appended, checked_key, checked_mode, checked_target
from toposcope.recorder.checkpoints.checkpoint import Appended, Checkpoint, library_of
from toposcope.recorder.checkpoints.files.atomic_file import atomic_file
from toposcope.recorder.checkpoints.files.protection import Protection, protected_writer
from toposcope.recorder.checkpoints.formats import mindspore_file, numpy_file, safetensors_file, torch_file
from toposcope.recorder.checkpoints.saving_phase import saving
from toposcope.recorder.checkpoints.state.capturing import capture, states_of
from toposcope.recorder.checkpoints.state.step_count import saved_step
from toposcope.recorder.writing.event_queue import flush_all


@saving()
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
    """Save the current state of a network. An existing file is replaced atomically.

        save_checkpoint(network, "best.ckpt", optimizer=optimizer, append={"accuracy": 0.93})

    If path ends with ".safetensors", the file has that format. Otherwise PyTorch networks are saved in the format of
    torch.save(), MindSpore networks in that of mindspore.save_checkpoint(), which the frameworks themselves can load
    unless we have encrypted them, and all others in that of np.savez(). load_checkpoint() loads all of them. Sharded
    tensors are gathered: all processes must call this function, each with a different path. The number of steps is
    saved if a Model or a watched run has trained the optimizer: a training after restore() continues from it.

    Args:
        network: a torch.nn.Module, a mindspore.nn.Cell, an object with parameters(), or a mapping of names to tensors.
        path: path of the file, in an existing directory, or its address in an object store, to which it is uploaded.
        optimizer: an optimizer, or a tuple or list of optimizers, to save in addition.
        append: int, float, bool or str values by name, to save in addition.
        enc_key: an AES key of 16, 24 or 32 bytes; None: no encryption.
        enc_mode: "AES-GCM" or "AES-CBC".
        crc_check: whether a checksum is appended, which load_checkpoint() verifies.

    Raises:
        TypeError: network has no parameters, the state of the optimizer cannot be saved, or path is not a path.
        ValueError: another argument is invalid, path is an invalid address, or a .safetensors file was requested with
            encryption, a checksum, or extra state of a module that is not a tensor, number or text.
        ImportError: enc_key, the format or an address requires a package that is not installed; the message names it.
        OSError: the file cannot be written.
    """
    path = checked_target("path", path)
    file_format = "safetensors" if path.endswith(".safetensors") else "ckpt"
    protection = Protection(checked_key("enc_key", enc_key), checked_mode("enc_mode", enc_mode), crc_check)
    if file_format == "safetensors" and (protection.key is not None or crc_check):
        raise ValueError(
            "A .safetensors file supports neither encryption nor a checksum: use a path that ends with .ckpt instead."
        )
    appended = checked_appended("append", append or {})
    checkpoint = capture(*states_of(network, optimizer), appended, saved_step(network, optimizer))
    write_checkpoint(checkpoint, path, protection, file_format)


def write_checkpoint(checkpoint: Checkpoint, path: str, protection: Protection, file_format: str) -> None:
    """Write a file of format "ckpt" or "safetensors"; raises the errors of save_checkpoint()."""
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
        flush_all()  # A training that is killed and continues from this file leaves no hole in its recording.

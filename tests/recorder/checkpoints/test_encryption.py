"""Encrypted checkpoints: confidentiality, authenticity, and errors for wrong keys."""

import importlib.util
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.trained_networks import numbers_of, trained_line, trained_torch

from toposcope.recorder.checkpoints import load_checkpoint, save_checkpoint
from toposcope.recorder.checkpoints.files.encryption import EncryptingWriter, decrypted

KEY, OTHER_KEY = bytes(range(32)), bytes(32)
MODES = ["AES-GCM", "AES-CBC"]
MIB = 1 << 20


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("key_bytes", [16, 24, 32])
@pytest.mark.parametrize("create", [trained_line, lambda: trained_torch()[0]], ids=["numpy", "torch"])
@pytest.mark.parametrize("crc_check", [False, True])
def test_encrypted_checkpoints_round_trip(
    tmp_path: Path, mode: str, key_bytes: int, create: Any, crc_check: bool
) -> None:
    network, path = create(), tmp_path / "a.ckpt"
    save_checkpoint(network, path, enc_key=KEY[:key_bytes], enc_mode=mode, crc_check=crc_check)
    plain = tmp_path / "plain.ckpt"
    save_checkpoint(network, plain)

    checkpoint = load_checkpoint(path, key=KEY[:key_bytes], mode=mode)

    assert numbers_of(checkpoint.network) == numbers_of(load_checkpoint(plain).network)
    assert b"weight" not in path.read_bytes()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", [0, 1, 15, 16, MIB - 1, MIB, MIB + 1, MIB + 48, 2 * MIB, 2 * MIB + 31])
def test_files_of_all_sizes_round_trip(tmp_path: Path, mode: str, size: int) -> None:
    content = np.random.default_rng(size).bytes(size)
    with open(tmp_path / "a", "w+b") as file:
        writer = EncryptingWriter(file, KEY, mode)
        for start in range(0, size, 300_000):
            writer.write(content[start : start + 300_000])
        writer.finish()
        written = file.seek(0, io.SEEK_END)
        file.seek(0)
        assert decrypted(file, written, KEY, mode) == content


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "missing", [1, 16, 17, 21, 32, 100, MIB, MIB + 16, MIB + 17, MIB + 37, 2 * MIB + 10, 2 * MIB + 100]
)
def test_truncation_is_detected(mode: str, missing: int) -> None:
    """Also where a chunk ends: the last one of GCM has 21 bytes, and the one before it MIB + 16."""
    file = io.BytesIO()
    writer = EncryptingWriter(file, KEY, mode)
    writer.write(bytes(2 * MIB + 5))
    writer.finish()
    size = len(file.getvalue()) - missing
    file.truncate(size)
    file.seek(0)
    with pytest.raises(ValueError, match="truncated"):
        decrypted(file, size, KEY, mode)


@pytest.mark.parametrize("mode", MODES)
def test_modified_byte_is_detected(tmp_path: Path, mode: str) -> None:
    """Also in the header and at the end of the file."""
    path = tmp_path / "a.ckpt"
    save_checkpoint(trained_line(), path, enc_key=KEY, enc_mode=mode)
    content = path.read_bytes()
    for offset in (0, 8, 9, 20, 45, 60, len(content) // 2, len(content) - 40, len(content) - 1):
        modified = bytearray(content)
        modified[offset] ^= 4
        path.write_bytes(modified)
        with pytest.raises(ValueError, match=r"a\.ckpt"):
            load_checkpoint(path, key=KEY, mode=mode)


def test_swapped_chunks_are_detected(tmp_path: Path) -> None:
    file = io.BytesIO()
    writer = EncryptingWriter(file, KEY, "AES-GCM")
    writer.write(bytes(3 * MIB))
    writer.finish()
    content, chunk = file.getvalue(), MIB + 16
    head = len(content) - 3 * chunk
    swapped = content[:head] + content[head + chunk :][:chunk] + content[head:][:chunk] + content[head + 2 * chunk :]
    with pytest.raises(ValueError, match="modified"):
        decrypted(io.BytesIO(swapped), len(swapped), KEY, "AES-GCM")


@pytest.mark.parametrize("mode", MODES)
def test_wrong_key_is_reported(tmp_path: Path, mode: str) -> None:
    save_checkpoint(trained_line(), tmp_path / "a.ckpt", enc_key=KEY, enc_mode=mode)
    for key in (OTHER_KEY, KEY[:16]):
        with pytest.raises(ValueError, match=f"another key, mode {mode}"):
            load_checkpoint(tmp_path / "a.ckpt", key=key, mode=mode)


def test_wrong_mode_is_reported_with_the_right_one(tmp_path: Path) -> None:
    save_checkpoint(trained_line(), tmp_path / "a.ckpt", enc_key=KEY, enc_mode="AES-CBC")
    with pytest.raises(ValueError, match="with AES-CBC, not AES-GCM"):
        load_checkpoint(tmp_path / "a.ckpt", key=KEY)


def test_missing_key_is_reported(tmp_path: Path) -> None:
    save_checkpoint(trained_line(), tmp_path / "a.ckpt", enc_key=KEY)
    with pytest.raises(ValueError, match="encrypted, and key is None"):
        load_checkpoint(tmp_path / "a.ckpt")


@pytest.mark.parametrize("arguments", [{"key": "k"}, {"key": b"k"}, {"mode": "GCM"}])
def test_invalid_arguments_are_value_errors(tmp_path: Path, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(arguments))):
        load_checkpoint(tmp_path / "a.ckpt", **arguments)


def test_key_is_ignored_for_unencrypted_files(tmp_path: Path) -> None:
    save_checkpoint(trained_line(), tmp_path / "a.ckpt")
    assert load_checkpoint(tmp_path / "a.ckpt", key=KEY).network.keys() == {"weight", "bias"}


@pytest.mark.parametrize("mode", MODES)
def test_two_files_of_the_same_network_have_no_common_block(tmp_path: Path, mode: str) -> None:
    contents = []
    for name in ("a", "b"):
        save_checkpoint({"weight": np.zeros(4096)}, tmp_path / name, enc_key=KEY, enc_mode=mode)
        content = (tmp_path / name).read_bytes()[9:]
        contents.append({content[start : start + 16] for start in range(0, len(content) - 16, 16)})
    assert not contents[0] & contents[1]
    assert len(contents[0]) > 2000


def test_missing_package_is_reported_with_the_install_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "cryptography" else find_spec(name))
    with pytest.raises(ImportError, match="pip install cryptography"):
        save_checkpoint(trained_line(), tmp_path / "a.ckpt", enc_key=KEY)
    assert list(tmp_path.iterdir()) == []

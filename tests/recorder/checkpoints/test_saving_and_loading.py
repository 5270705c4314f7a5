"""Checkpoints of all formats: saving, loading (also by the libraries that define the formats), and restoring."""

import io
import os
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.line_network import Line
from support.pytorch import torch
from support.trained_networks import Momentum, numbers_of, trained_line, trained_torch

from toposcope.recorder.checkpoints import Checkpoint, load_checkpoint, restore, save_checkpoint
from toposcope.recorder.checkpoints.checkpoint import Appended

FORMATS = ["ckpt", "safetensors"]
APPENDED: dict[str, Appended] = {"epoch_num": 3, "rate": 0.1, "is_best": True, "note": "a\nb"}


@pytest.mark.parametrize("ending", FORMATS)
def test_torch_training_continues_from_a_checkpoint(tmp_path: Path, ending: str) -> None:
    """Buffers of the network, moments of the optimizer and appended values are restored exactly."""
    network, optimizer = trained_torch()
    path = tmp_path / f"a.{ending}"
    save_checkpoint(network, path, optimizer=optimizer, append=APPENDED)

    other, other_optimizer = trained_torch(seed=1)
    checkpoint = load_checkpoint(path)
    restore(checkpoint, other, other_optimizer)

    assert checkpoint.appended == APPENDED
    assert numbers_of(other.state_dict()) == numbers_of(network.state_dict())
    assert other_optimizer.state_dict().keys() == optimizer.state_dict().keys()
    for trained, its_optimizer in ((network, optimizer), (other, other_optimizer)):
        its_optimizer.zero_grad()
        trained(torch.ones(2, 4)).square().sum().backward()
        its_optimizer.step()
    assert numbers_of(other.state_dict()) == numbers_of(network.state_dict())


def trained_pair() -> "tuple[torch.nn.Sequential, tuple[torch.optim.Optimizer, ...]]":
    """Return a module that is trained by two optimizers of different types."""
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Linear(3, 2))
    optimizers = (
        torch.optim.Adam(network[0].parameters(), lr=0.01),
        torch.optim.SGD(network[1].parameters(), lr=0.1, momentum=0.9),
    )
    network(torch.randn(8, 4)).square().sum().backward()
    for optimizer in optimizers:
        optimizer.step()
    return network, optimizers


@pytest.mark.parametrize("container", [tuple, list])
@pytest.mark.parametrize("ending", FORMATS)
def test_states_of_several_optimizers_are_restored(tmp_path: Path, ending: str, container: Any) -> None:
    network, optimizers = trained_pair()
    save_checkpoint(network, tmp_path / f"a.{ending}", optimizer=container(optimizers))
    saved = numbers_of([optimizer.state_dict() for optimizer in optimizers])

    fresh = (
        torch.optim.Adam(network[0].parameters(), lr=1.0),
        torch.optim.SGD(network[1].parameters(), lr=1.0, momentum=0.1),
    )
    restore(load_checkpoint(tmp_path / f"a.{ending}"), network, container(fresh))

    assert numbers_of([optimizer.state_dict() for optimizer in fresh]) == saved


def test_wrong_number_of_optimizers_is_rejected_without_changes(tmp_path: Path) -> None:
    network, optimizers = trained_pair()
    save_checkpoint(network, tmp_path / "two.ckpt", optimizer=optimizers)
    save_checkpoint(network, tmp_path / "one.ckpt", optimizer=optimizers[:1])
    two, one = load_checkpoint(tmp_path / "two.ckpt"), load_checkpoint(tmp_path / "one.ckpt")
    with torch.no_grad():
        network[0].get_parameter("bias").fill_(7)

    with pytest.raises(ValueError, match=r"2 optimizers, and 1 "):
        restore(two, network, optimizers[0])
    with pytest.raises(ValueError, match=r"2 optimizers, and 3 "):
        restore(two, network, [*optimizers, optimizers[0]])
    with pytest.raises(ValueError, match=r"1 optimizers, and 2 "):
        restore(one, network, optimizers)
    assert network[0].get_parameter("bias").tolist() == [7, 7, 7]
    restore(one, network, optimizers[0])


def with_extra_state(extra: Any = None) -> Any:
    """Return a module with extra state."""

    class WithExtraState(torch.nn.Linear):
        def __init__(self) -> None:
            super().__init__(2, 1)
            self.extra = extra

        def get_extra_state(self) -> Any:
            return self.extra

        def set_extra_state(self, state: Any) -> None:
            self.extra = state

    return WithExtraState()


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize(
    "create",
    [
        lambda: 3,
        lambda: "text",
        lambda: None,
        lambda: torch.arange(3.0),
        lambda: {"scale": 0.5, 7: [1, (None, True)], "amax": torch.ones(2)},
    ],
    ids=["number", "text", "none", "tensor", "nested"],
)
def test_extra_state_of_modules_is_restored(tmp_path: Path, ending: str, create: Callable[[], Any]) -> None:
    extra = create()
    network = torch.nn.Sequential(with_extra_state(extra), with_extra_state(extra))
    save_checkpoint(network, tmp_path / f"a.{ending}")
    other = torch.nn.Sequential(with_extra_state(), with_extra_state())
    restore(load_checkpoint(tmp_path / f"a.{ending}"), other)
    assert [repr(module.extra) for module in other] == [repr(extra)] * 2
    assert torch.equal(other[1].get_parameter("weight"), network[1].get_parameter("weight"))


def test_arrays_in_extra_state_stay_arrays_in_a_safetensors_file(tmp_path: Path) -> None:
    network = torch.nn.Sequential(with_extra_state({"seen": np.arange(3)}), with_extra_state(np.ones(2)))
    save_checkpoint(network, tmp_path / "a.safetensors")
    other = torch.nn.Sequential(with_extra_state(), with_extra_state())
    restore(load_checkpoint(tmp_path / "a.safetensors"), other)
    assert repr(other[0].extra) == repr({"seen": np.arange(3)})
    assert repr(other[1].extra) == repr(np.ones(2))


@pytest.mark.parametrize(
    "create",
    [lambda: {"file": io.BytesIO(b"x")}, lambda: {"dtype": torch.float32}, lambda: np.array(["a"])],
    ids=["file", "dtype", "strings"],
)
def test_extra_state_that_safetensors_does_not_support_is_rejected(tmp_path: Path, create: Callable[[], Any]) -> None:
    extra = create()
    with pytest.raises(ValueError, match=r"'0\._extra_state' .*format='ckpt'"):
        save_checkpoint(torch.nn.Sequential(with_extra_state(extra)), tmp_path / "a.safetensors")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", FORMATS)
def test_network_without_a_framework_is_restored_with_its_optimizer(tmp_path: Path, ending: str) -> None:
    """Nesting, tuples, and the types of keys and numbers in the state of the optimizer are preserved."""
    line, optimizer = trained_line(), Momentum()
    save_checkpoint(line, tmp_path / f"a.{ending}", optimizer=optimizer, append=APPENDED)

    other, other_optimizer = Line(), Momentum()
    other_optimizer.state = {}
    checkpoint = load_checkpoint(tmp_path / f"a.{ending}")
    restore(checkpoint, other, other_optimizer)

    assert checkpoint.appended == APPENDED
    assert numbers_of(other.parameters()) == numbers_of(line.parameters())
    moments = other_optimizer.state["moments"]
    assert (moments["weight"].tolist(), moments[7]) == ([0.0, 1.0, 2.0], [1.5, (2, None, True)])
    assert (other_optimizer.state["lr"], other_optimizer.state["name"]) == (0.1, "momentum")


def test_torch_loads_the_file(tmp_path: Path) -> None:
    """torch.load() accepts weights_only and a checksum after the archive."""
    network, _ = trained_torch()
    save_checkpoint(network, tmp_path / "a.ckpt", crc_check=True)

    content = torch.load(tmp_path / "a.ckpt", weights_only=True)

    torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3)).load_state_dict(content["network"])


def test_numpy_loads_the_file(tmp_path: Path) -> None:
    """Parameters with any name are members of an npz archive."""
    state = {"a/b": np.arange(3, dtype=np.int8), "file": np.float16(1.5), "": np.zeros((2, 0))}
    save_checkpoint(state, tmp_path / "a.ckpt", crc_check=True)

    with np.load(tmp_path / "a.ckpt", allow_pickle=False) as archive:
        assert archive["a/b"].tolist() == [0, 1, 2]
    assert numbers_of(load_checkpoint(tmp_path / "a.ckpt").network) == [[0, 1, 2], 1.5, [[], []]]


def test_safetensors_loads_the_file(tmp_path: Path) -> None:
    """The tensors of the network have their names, also if they are tied."""
    network = torch.nn.Sequential(torch.nn.Linear(2, 2, bias=False), torch.nn.Linear(2, 2, bias=False))
    network[1].weight = network[0].weight
    save_checkpoint(network, tmp_path / "a.safetensors")

    from safetensors.torch import load_file

    tensors = load_file(tmp_path / "a.safetensors")

    assert numbers_of(tensors) == numbers_of(network.state_dict())


def test_files_of_the_libraries_are_loaded(tmp_path: Path) -> None:
    """All of their tensors belong to the network."""
    state = OrderedDict(weight=torch.arange(3.0, dtype=torch.bfloat16))
    from safetensors.torch import save_file

    torch.save(state, tmp_path / "torch")
    np.savez(tmp_path / "numpy.npz", weight=np.arange(3.0))
    save_file(dict(state), tmp_path / "safetensors")
    for name in ("torch", "numpy.npz", "safetensors"):
        checkpoint = load_checkpoint(tmp_path / name)
        assert (numbers_of(checkpoint.network), checkpoint.optimizer, checkpoint.appended) == ([[0, 1, 2]], None, {})


def test_names_of_the_network_do_not_conflict_with_those_of_the_optimizer(tmp_path: Path) -> None:
    """Names in the network may start with "optimizer."."""
    state = {"optimizer.lr": np.ones(1), "optimizer..moments.weight": np.zeros(1)}
    save_checkpoint(state, tmp_path / "a.ckpt", optimizer=Momentum())
    checkpoint = load_checkpoint(tmp_path / "a.ckpt")
    assert checkpoint.network.keys() == state.keys()
    assert checkpoint.optimizer is not None
    assert checkpoint.optimizer["moments"]["weight"].tolist() == [0, 1, 2]


@pytest.mark.parametrize("network", [None, 3, "net", object(), {}, Momentum])
def test_objects_that_are_not_networks_are_type_errors(tmp_path: Path, network: Any) -> None:
    with pytest.raises(TypeError, match="network with parameters"):
        save_checkpoint(network, tmp_path / "a.ckpt")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("create", [lambda: torch.nn.ReLU(), lambda: torch.optim.SGD], ids=["no parameters", "class"])
def test_objects_of_pytorch_that_are_not_networks_are_type_errors(tmp_path: Path, create: Callable[[], Any]) -> None:
    test_objects_that_are_not_networks_are_type_errors(tmp_path, create())


def test_array_of_objects_is_a_type_error_and_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="weight"):
        save_checkpoint({"weight": np.array([object()])}, tmp_path / "a.ckpt")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        {"enc_key": "0123456789abcdef"},
        {"enc_key": b"short"},
        {"enc_key": bytes(16), "enc_mode": "SM4-CBC"},
        {"enc_mode": None},
        {"append": {"a": [1]}},
        {"append": {1: 1}},
        {"append": [1]},
    ],
)
def test_invalid_arguments_are_value_errors(tmp_path: Path, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="|".join(arguments)):
        save_checkpoint(trained_line(), tmp_path / "a.ckpt", **arguments)


@pytest.mark.parametrize("arguments", [{"enc_key": bytes(16)}, {"crc_check": True}])
def test_safetensors_file_cannot_be_protected(tmp_path: Path, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="safetensors"):
        save_checkpoint(trained_line(), tmp_path / "a.safetensors", **arguments)


def test_key_is_not_shown_in_errors(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="enc_key") as raised:
        save_checkpoint(trained_line(), tmp_path / "a.ckpt", enc_key=b"my secret")
    assert "secret" not in str(raised.value)


def test_missing_and_unexpected_names_are_reported() -> None:
    state = {name: np.zeros(1) for name in ("weight", "bias", "scale")}
    with pytest.raises(ValueError, match="scale"):
        restore(Checkpoint(state, None, {}), Line())
    with pytest.raises(ValueError, match="bias"):
        restore(Checkpoint({"weight": np.zeros(1)}, None, {}), Line())


def test_wrong_shape_is_rejected_without_changes() -> None:
    line = trained_line()
    before = numbers_of(line.parameters())
    with pytest.raises(ValueError, match=r"bias.*\(2,\)"):
        restore(Checkpoint({"weight": np.zeros(1), "bias": np.zeros(2)}, None, {}), line)
    assert numbers_of(line.parameters()) == before


def test_checkpoint_without_an_optimizer_restores_none() -> None:
    with pytest.raises(ValueError, match="without an optimizer"):
        restore(Checkpoint(dict(trained_line().parameters()), None, {}), Line(), Momentum())


NETWORKS = pytest.mark.parametrize("create", [trained_line, lambda: trained_torch()[0]], ids=["numpy", "torch"])


@NETWORKS
@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99])
def test_truncated_file_is_a_value_error(tmp_path: Path, create: Callable[[], Any], ending: str, share: float) -> None:
    path = tmp_path / f"a.{ending}"
    save_checkpoint(create(), path)
    os.truncate(path, int(path.stat().st_size * share))
    with pytest.raises(ValueError, match=f"a.{ending}"):
        load_checkpoint(path)


@pytest.mark.parametrize(("ending", "expected"), [("ckpt", r"torch\.save\(\)"), ("safetensors", r"\.safetensors file")])
def test_error_of_a_truncated_file_names_its_format(tmp_path: Path, ending: str, expected: str) -> None:
    path = tmp_path / f"a.{ending}"
    save_checkpoint(trained_torch()[0], path)
    os.truncate(path, 100)
    with pytest.raises(ValueError, match=rf"a\.{ending}' .*starts like .*{expected}.*truncated or damaged"):
        load_checkpoint(path)


def test_file_with_more_than_a_network_is_rejected(tmp_path: Path) -> None:
    """The message lists the entries. A state_dict() with extra state is accepted."""
    network, optimizer = trained_torch()
    content = {"model": network.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}
    torch.save(content, tmp_path / "a.pt")
    with pytest.raises(ValueError, match=r"a\.pt' .*'model', 'optimizer', 'epoch'.*Checkpoint\(network"):
        load_checkpoint(tmp_path / "a.pt")
    torch.save(with_extra_state("text").state_dict(), tmp_path / "b.pt")
    assert load_checkpoint(tmp_path / "b.pt").network["_extra_state"] == "text"


@pytest.mark.parametrize("path", [5, None, b"a.ckpt", ["a.ckpt"]])
def test_path_of_the_wrong_type(path: Any) -> None:
    with pytest.raises(TypeError, match=r"^path must be the path of a file, .*, not "):
        load_checkpoint(path)
    with pytest.raises(TypeError, match=r"^path must be the path of a file, .*, not "):
        save_checkpoint(trained_line(), path)


@pytest.mark.parametrize("checkpoint", ["a.ckpt", None, {"weight": np.zeros(1), "bias": np.zeros(1)}])
def test_checkpoint_of_the_wrong_type(checkpoint: Any) -> None:
    with pytest.raises(TypeError, match=r"^checkpoint must be a Checkpoint as returned by load_checkpoint\(\), not "):
        restore(checkpoint, Line())


@pytest.mark.parametrize("content", [b"", b"x", b"hello, world", bytes(100), b"\n" * 5, b"PK\3\4" + bytes(50)])
def test_unknown_file_is_a_value_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    # Files of MindSpore start with a line feed, and MindSpore is not installed here.
    with pytest.raises((ValueError, ImportError), match=r"not a readable checkpoint|mindspore"):
        load_checkpoint(tmp_path / "a")


def test_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_checkpoint(tmp_path / "a")


def test_pickled_code_is_not_executed(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return (os.mkdir, (str(tmp_path / "evil"),))

    torch.save({"network": Evil()}, tmp_path / "a.ckpt")
    with pytest.raises(ValueError, match=r"a\.ckpt.*objects other than tensors"):
        load_checkpoint(tmp_path / "a.ckpt")
    assert not (tmp_path / "evil").exists()


@NETWORKS
@pytest.mark.parametrize("position", [0.2, 0.5, 0.9])
def test_checksum_detects_a_flipped_bit(tmp_path: Path, create: Callable[[], Any], position: float) -> None:
    path = tmp_path / "a.ckpt"
    save_checkpoint(create(), path, crc_check=True)
    load_checkpoint(path)
    content = bytearray(path.read_bytes())
    content[int(len(content) * position)] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match="checksum"):
        load_checkpoint(path)


def test_existing_file_is_kept_if_the_new_one_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "a.ckpt"
    save_checkpoint(trained_line(), path)
    before = path.read_bytes()
    with pytest.raises(TypeError):
        save_checkpoint({"weight": np.array([object()])}, path)
    assert [file.name for file in tmp_path.iterdir()] == ["a.ckpt"]
    assert path.read_bytes() == before

"""Names of event files, our own and foreign ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.proto.file_name import FileName, event_file_name, parse_file_name

PARTS = st.from_regex(r"[0-9a-zA-Z_]+[0-9a-zA-Z_.]*", fullmatch=True)
HOSTS = st.from_regex(r"[0-9A-Za-z_.-]{1,64}", fullmatch=True)


@given(PARTS, st.integers(0, 10**11), st.integers(0, 10**6), HOSTS, PARTS)
def test_our_names_are_read_back(prefix: str, seconds: int, rank: int, host: str, suffix: str) -> None:
    """A name tells the seconds and the rank that it was made of, whatever stands around them."""
    name = parse_file_name(event_file_name(prefix, seconds, rank, host, suffix))

    assert name == FileName("mindspore", seconds, rank, suffix.endswith("_lineage"))


def test_our_name_is_mindspores() -> None:
    """The defaults give the name that MindSpore gives."""
    assert event_file_name("events", 1795226941, 0, "vm", "_MS") == "events.out.events.summary.1795226941.0.vm_MS"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("events.out.events.summary.1795226941.0.vm_MS", FileName("mindspore", 1795226941, 0, False)),
        ("events.out.events.summary.1795226941.0.vm_lineage", FileName("mindspore", 1795226941, 0, True)),
        ("xx_.out.events.summary.1795226959.12.a.b-c_MS", FileName("mindspore", 1795226959, 12, False)),
        ("events.summary.1795226941", FileName("mindspore", 1795226941, 0, False)),
        ("events.out.tfevents.1795230787.vm", FileName("tensorboard", 1795230787, None, False)),
        ("events.out.tfevents.1795230800.vm.26977.2", FileName("tensorboard", 1795230800, None, False)),
        ("events.out.tfevents.1795230817.vm.27084.0.v2", FileName("tensorboard", 1795230817, None, False)),
        ("my.tfevents", FileName("tensorboard", 0, None, False)),
    ],
)
def test_names_of_known_writers(name: str, said: FileName) -> None:
    """MindSpore's and TensorBoard's names are understood, odd ones that their readers take included."""
    assert parse_file_name(name) == said


@pytest.mark.parametrize("name", ["", "train_metadata.json", "logits_1.npy", "summary.txt", "events.out", "model.ckpt"])
def test_other_names_are_no_event_files(name: str) -> None:
    """Other files of a run directory are not taken for event files."""
    assert parse_file_name(name) is None

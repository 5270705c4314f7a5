"""Names of event files, of Toposcope and of other writers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.proto.file_name import FileName, event_file_name, parse_file_name, process_of

PARTS = st.from_regex(r"[0-9a-zA-Z_]+[0-9a-zA-Z_.]*", fullmatch=True)
HOSTS = st.from_regex(r"[0-9A-Za-z_.-]{1,64}", fullmatch=True)


@given(PARTS, st.integers(0, 10**11), st.integers(0, 10**6), HOSTS, PARTS)
def test_names_round_trip(prefix: str, seconds: int, rank: int, host: str, suffix: str) -> None:
    """Parsing a name returns its seconds and rank, whatever the other parts are."""
    name = parse_file_name(event_file_name(prefix, seconds, rank, host, suffix))

    assert name == FileName("mindspore", seconds, rank, suffix.endswith("_lineage"))


def test_default_name_matches_mindspore() -> None:
    """The default prefix and suffix result in MindSpore's file name."""
    assert event_file_name("events", 1795226941, 0, "vm", "_MS") == "events.out.events.summary.1795226941.0.vm_MS"


@pytest.mark.parametrize(
    ("name", "expected"),
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
def test_names_of_known_writers(name: str, expected: FileName) -> None:
    """Names of MindSpore and TensorBoard are parsed, including unusual ones that their readers accept."""
    assert parse_file_name(name) == expected


@pytest.mark.parametrize(
    "name",
    [
        *("", "train_metadata.json", "logits_1.npy", "summary.txt", "events.out", "model.ckpt"),
        *("gcloud_kms_inventory_get-summary.1.gz", "read-summary.3", "read_tfevents.py", "tfevents.cpython-311.pyc"),
    ],
)
def test_other_names_are_not_event_files(name: str) -> None:
    """Other files in the directory of a run are not event files."""
    assert parse_file_name(name) is None


@pytest.mark.parametrize(
    ("name", "process"),
    [
        ("events.out.tfevents.1795230817.vm.27084.0.v2", ("vm", 27084)),
        ("events.out.tfevents.1795230817.node-3.example.org.1.12", ("node-3.example.org", 1)),
        ("events.out.tfevents.1795230817.10.0.0.7.27084.0", ("10.0.0.7", 27084)),
        ("events.out.tfevents.1795230817.vm.27084.0_trial", ("vm", 27084)),
        ("events.out.tfevents.1795230787.vm", None),
        ("events.out.tfevents.1795230787.10.0.0.7", None),
        ("hw.out.events.summary.1.0.vm_MS", None),
    ],
)
def test_process_in_a_name(name: str, process: tuple[str, int] | None) -> None:
    """TensorFlow and PyTorch write it behind the host; tensorboardX writes the host alone."""
    assert process_of(name) == process

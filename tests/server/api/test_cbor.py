"""Replies in CBOR contain the same as replies in JSON, in fewer bytes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cbor import decode_cbor, numbers_of
from support.event_files import scalar_event, write_run
from support.server_in_process import served

from toposcope.server.api.replies.cbor import encode_cbor
from toposcope.server.api.replies.columns import cbor_column

CBOR = {"Accept": "application/cbor"}
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**64), 2**64 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda items: st.lists(items) | st.dictionaries(st.text(), items),
)
INT64S = st.integers(-(2**63), 2**63 - 1)


@given(PLAIN)
def test_plain_data_survives(value: Any) -> None:
    """What is encoded can be decoded by a plain decoder; it is the same."""
    assert decode_cbor(encode_cbor(value)) == value


@given(st.lists(INT64S) | st.tuples(INT64S, INT64S, st.integers(0, 9)).map(lambda t: list(range(t[0], t[0] + t[2]))))
def test_integers_survive(numbers: list[int]) -> None:
    """Integers are exact, whether regular or not."""
    numbers = [number for number in numbers if number < 2**63]
    column = np.array(numbers, np.int64)
    assert numbers_of(decode_cbor(encode_cbor(cbor_column(column)))) == numbers


@pytest.mark.parametrize(
    ("numbers", "size"),
    [(range(5, 500, 3), 40), ([1, 2, 4, 8] * 100, 1610), ([0, 2**40, 5] * 100, 2410), ([-(2**63), 0, 2**63 - 1], 40)],
)
def test_integers_are_as_short_as_they_can_be(numbers: Any, size: int) -> None:
    """Regular integers take a few bytes, others four or eight each."""
    column = np.array(numbers, np.int64)
    encoded = encode_cbor(cbor_column(column))
    assert numbers_of(decode_cbor(encoded)) == column.tolist()
    assert len(encoded) <= size


@given(st.lists(st.floats(width=32)), st.lists(st.floats()))
def test_floats_survive(narrow: list[float], wide: list[float]) -> None:
    """Floats have 32 bits if every one fits, else 64, and are exact."""
    for numbers in (narrow, narrow + wide):
        decoded = decode_cbor(encode_cbor(cbor_column(np.array(numbers, np.float64))))
        assert np.array_equal(decoded, np.array(numbers), equal_nan=True)
        assert np.array_equal(np.signbit(decoded), np.signbit(numbers))
    assert decode_cbor(encode_cbor(cbor_column(np.array(narrow, np.float64)))).dtype == np.float32


def test_undefined_data_are_refused() -> None:
    """Data that no reply contains are an error, which names them."""
    for value in (object(), {1, 2}, 2**64, np.zeros((2, 2)), np.zeros(2, np.complex128)):
        with pytest.raises(TypeError, match="cannot be encoded"):
            encode_cbor(value)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    logdir: Path = tmp_path_factory.mktemp("logs")
    values = {0: 0.5, 10: 0.25, 20: float("nan"), 30: float("-inf"), 40: 0.125}
    write_run(logdir / "a", [scalar_event(step + 100, step, {"loss": value}) for step, value in values.items()])
    write_run(logdir / "b", [scalar_event(step + 200, step, {"loss": step / 7}) for step in (1, 2, 4, 2**40)])
    with served(logdir) as http_client:
        yield http_client


@pytest.mark.parametrize("query", ["tag=loss", "tag=loss&smooth=ema:0.5", "tag=loss&axis=wall_time&lo=110&points=0"])
def test_series_are_the_same(client: httpx.Client, query: str) -> None:
    """A reply in CBOR has the fields and numbers of the one in JSON."""
    expected = client.get(f"/api/scalars?{query}")
    reply = client.get(f"/api/scalars?{query}", headers=CBOR)
    assert expected.headers["content-type"] == "application/json"
    assert reply.headers["content-type"] == "application/cbor"
    assert "accept" in reply.headers["vary"].lower()
    assert plain(decode_cbor(reply.content)) == plain(expected.json())


def test_bands_are_the_same(client: httpx.Client) -> None:
    """Bands of groups, too, are available in CBOR."""
    expected = client.get("/api/scalars/groups?tag=loss")
    reply = client.get("/api/scalars/groups?tag=loss", headers=CBOR)
    assert plain(decode_cbor(reply.content)) == plain(expected.json())


def plain(reply: Any) -> Any:
    """Return a reply in either form with lists of texts for columns: equal numbers have equal texts."""
    if isinstance(reply, dict) and "stride" not in reply:
        return {name: plain(item) for name, item in reply.items()}
    if isinstance(reply, list) and reply and isinstance(reply[0], dict):
        return [plain(item) for item in reply]
    if isinstance(reply, (dict, list, np.ndarray)):
        return [
            item if isinstance(item, str) and not _is_number(item) else repr(float(item)) for item in numbers_of(reply)
        ]
    return reply


def _is_number(text: str) -> bool:
    return text in ("NaN", "Infinity", "-Infinity")


def test_requested_columns_alone_are_returned(client: httpx.Client) -> None:
    """Other columns are empty."""
    for headers in ({}, CBOR):
        reply = client.get("/api/scalars?tag=loss&column=step&column=value&smooth=ema:0.5", headers=headers)
        [a, _] = (decode_cbor(reply.content) if headers else reply.json())["series"]
        assert numbers_of(a["step"]) == [0, 10, 20, 30, 40]
        assert len(a["value"]) == 5
        assert a["wall_time"] == a["smoothed"] == []
    assert client.get("/api/scalars?tag=loss&column=nothing").status_code == 422


def test_errors_are_json(client: httpx.Client) -> None:
    """An error is reported in JSON, whatever the client accepts."""
    reply = client.get("/api/scalars?tag=none", headers=CBOR)
    assert reply.status_code == 404
    assert "none" in reply.json()["detail"]

"""Relative time without pauses: what lies between a stop and its resumption is left out."""

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.event_files import scalar_event, write_run
from support.servers import Serve

from toposcope.server.runs.recordings.pauses import Pauses, paused_before

START = 1_700_000_000.0


def write_resumed(folder: Path) -> None:
    """Write 10 points a second apart, and 10 after a pause of an hour, by another process."""
    for begin, first in ((START, 0), (START + 9 + 3600, 10)):
        events = [scalar_event(begin + at, first + at, {"loss": float(first + at)}) for at in range(10)]
        write_run(folder, events, int(begin))


def test_pauses_are_left_out_of_relative_time(tmp_path: Path, serve: Serve) -> None:
    """In series, whose windows are on the same axis, and in groups; a run that was never stopped is as before."""
    write_resumed(tmp_path / "resumed")
    write_run(
        tmp_path / "straight", [scalar_event(START + at, at, {"loss": float(at)}) for at in range(20)], int(START)
    )
    client = serve(tmp_path)
    query = {"tag": "loss", "axis": "active"}

    whole = client.get("api/scalars", params=query).raise_for_status().json()["series"]
    part = client.get("api/scalars", params=query | {"lo": 8.5, "hi": 11}).raise_for_status().json()["series"]
    (group,) = client.get("api/scalars/groups", params=query).raise_for_status().json()["groups"]

    assert {each["run"]: each["x"] for each in whole} == {
        "resumed": [*map(float, range(10)), *map(float, range(9, 19))],
        "straight": [*map(float, range(20))],
    }
    assert {each["run"]: each["step"] for each in part} == {"resumed": [9, 10, 11, 12], "straight": [9, 10, 11]}
    assert group["x"] == [*map(float, range(20))]


def test_what_another_writer_recorded_meanwhile_is_no_pause(tmp_path: Path, serve: Serve) -> None:
    """Two files with a gap between them, and one that spans both."""
    write_resumed(tmp_path)
    write_run(tmp_path, [scalar_event(START + 60 * at, at, {"accuracy": 1.0}) for at in range(63)], int(START) - 1)
    client = serve(tmp_path)

    (series,) = client.get("api/scalars", params={"tag": "loss", "axis": "active"}).raise_for_status().json()["series"]

    assert series["x"] == [time - (START - 1) for time in series["wall_time"]]


@given(st.lists(st.tuples(st.floats(0.1, 1e4), st.floats(0.1, 1e4)), max_size=5), st.lists(st.floats(0, 1e5)))
def test_time_before_a_moment_is_that_of_all_pauses_before_it(
    spans: list[tuple[float, float]], times: list[float]
) -> None:
    """Against a sum over the pauses, each of them whole or the part before."""
    edges = np.cumsum([length for span in spans for length in span])
    pauses = Pauses(edges[0::2], edges[1::2])

    paused = paused_before(pauses, np.array(times, np.float64))

    expected = [sum(min(max(time - b, 0), e - b) for b, e in zip(*pauses, strict=True)) for time in times]
    np.testing.assert_allclose(paused, expected, atol=1e-6)

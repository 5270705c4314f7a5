"""Restarts, ranks, parallel writers and the by-products of landscapes."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.event_files import landscape_event, loss_run, scalar_event, tensorboard_event, version_event, write_run

from toposcope.proto.file_name import parse_file_name
from toposcope.server.reading.event_file import EventFile
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.run import ALL, RunView
from toposcope.server.runs.selection.chosen_series import Choice, ranks


def load(directory: Path) -> RunView:
    """Return the run of a directory."""
    views: list[FileView] = []
    for path in directory.iterdir():
        name = parse_file_name(path.name)
        assert name is not None
        file = EventFile(str(path), name)
        file.read(1 << 30)
        view = file.view()
        assert view is not None
        views.append(view)
    return RunView("run", views, revision=1, live=False)


def steps(run: RunView, tag: str = "loss", rank: int = 0, attempt: int | str | None = None) -> list[int]:
    """Return the steps of a series."""
    return run.points(tag, rank, attempt).step.tolist()


def test_restart_hides_only_what_it_repeats(tmp_path: Path) -> None:
    """From the restart step on, older points of the restarted tags are hidden; all attempts contain every point."""
    write_run(
        tmp_path,
        [scalar_event(100 + step, step, {"loss": 1.0, "only_before": 2.0}) for step in range(1, 101)],
        seconds=100,
    )
    write_run(tmp_path, [scalar_event(300 + step, step, {"loss": 3.0}) for step in range(81, 121)], seconds=300)

    run = load(tmp_path)

    assert [attempt.restart_step for attempt in run.attempts[0]] == [None, 81]
    assert steps(run) == list(range(1, 121))
    assert run.points("loss", 0).value.tolist() == [1.0] * 80 + [3.0] * 40
    assert steps(run, "only_before") == list(range(1, 101))
    assert steps(run, attempt=1) == list(range(1, 101))
    assert steps(run, attempt=2) == list(range(81, 121))
    assert steps(run, attempt=3) == []
    assert steps(run, attempt=ALL) == [*range(1, 101), *range(81, 121)]


def test_second_restart_hides_parts_of_both_earlier_attempts(tmp_path: Path) -> None:
    """Each attempt hides points of all earlier ones."""
    loss_run(tmp_path, range(1, 11), seconds=100)
    loss_run(tmp_path, range(8, 21), seconds=200)
    loss_run(tmp_path, range(5, 7), seconds=300)

    run = load(tmp_path)

    assert steps(run) == [1, 2, 3, 4, 5, 6]
    assert len(run.attempts[0]) == 3


def test_file_that_continues_does_not_start_an_attempt(tmp_path: Path) -> None:
    """A later file with later steps belongs to the same attempt."""
    loss_run(tmp_path, range(1, 11), seconds=100)
    loss_run(tmp_path, range(11, 21), seconds=200)

    run = load(tmp_path)

    assert len(run.attempts[0]) == 1
    assert steps(run) == list(range(1, 21))


def test_files_that_overlap_in_time_are_parallel_writers(tmp_path: Path) -> None:
    """The points of two live writers of one rank are all shown, including repeated steps."""
    loss_run(tmp_path, range(1, 11), seconds=100)
    loss_run(tmp_path, range(1, 11), seconds=105)

    run = load(tmp_path)

    assert len(run.attempts[0]) == 1
    assert len(steps(run)) == 20


def test_rotations_of_one_session_are_one_attempt(tmp_path: Path) -> None:
    """Files of one recorder are never restarts, even if their steps go back."""
    for seconds, first in ((100, 1), (200, 5)):
        content = [
            version_event(seconds, b"session"),
            *(scalar_event(seconds + i, first + i, {"loss": 1.0}) for i in range(8)),
        ]
        (tmp_path / f"events.out.events.summary.{seconds}.0.host_MS").write_bytes(b"".join(content))

    assert len(load(tmp_path).attempts[0]) == 1


def test_version_event_may_start_an_attempt(tmp_path: Path) -> None:
    """A version event with that flag starts an attempt if the steps alone would not."""
    loss_run(tmp_path, range(0, 101, 10), seconds=100)
    content = [
        version_event(500.0, b"new", starts_attempt=True),
        scalar_event(501.0, 75, {"accuracy": 1.0, "loss": 1.0}),
    ]
    content = [version_event(500.0, b"new", starts_attempt=True), scalar_event(501.0, 105, {"accuracy": 1.0})]
    (tmp_path / "events.out.events.summary.500.0.host_MS").write_bytes(b"".join(content))

    assert [attempt.restart_step for attempt in load(tmp_path).attempts[0]] == [None, 105]


def resumed_run(directory: Path, steps: Iterable[int], resume_step: int, seconds: int) -> None:
    """Write a recording that resumes at a step."""
    records = [scalar_event(seconds + i, step, {"loss": 2.0}) for i, step in enumerate(steps, 1)]
    head = version_event(seconds, bytes([seconds % 256]), resume_step=resume_step)
    (directory / f"events.out.events.summary.{seconds}.0.host_MS").write_bytes(b"".join([head, *records]))


def test_resume_step_hides_abandoned_points_of_every_tag(tmp_path: Path) -> None:
    """Points from the resume step on are hidden at once, also of tags that the new attempt has not recorded yet."""
    first = [scalar_event(100 + step, step, {"loss": 1.0, "eval": 1.0}) for step in range(1, 56)]
    write_run(tmp_path, first, seconds=100)
    resumed_run(tmp_path, [41, 42], 41, seconds=500)

    run = load(tmp_path)

    assert [attempt.restart_step for attempt in run.attempts[0]] == [None, 41]
    assert steps(run) == [*range(1, 43)]
    assert steps(run, "eval") == [*range(1, 41)]
    assert (run.hidden("loss", 0), run.hidden("eval", 0), run.hidden("other", 0)) == (15, 15, 0)
    assert steps(run, "eval", attempt=1) == steps(run, "eval", attempt=ALL) == [*range(1, 56)]


def test_last_step_of_a_run_is_that_of_its_newest_attempts(tmp_path: Path) -> None:
    """A run that began again has not reached the last step of its first attempt yet; the most advanced rank counts."""
    loss_run(tmp_path, range(1, 111), seconds=100)
    assert load(tmp_path).steps == (1, 110)

    loss_run(tmp_path, range(41, 46), seconds=500)
    assert load(tmp_path).steps == (1, 45)

    resumed_run(tmp_path, [], 31, seconds=700)
    assert load(tmp_path).steps == (1, 30)

    loss_run(tmp_path, range(41, 61), seconds=500, rank=1)
    assert load(tmp_path).steps == (1, 60)


def test_resume_step_hides_points_before_the_first_new_one(tmp_path: Path) -> None:
    """A resumed recording that records every tenth step hides abandoned points from its resume step on."""
    loss_run(tmp_path, range(1, 56), seconds=100)
    resumed_run(tmp_path, [50, 60], 41, seconds=500)

    assert steps(load(tmp_path)) == [*range(1, 41), 50, 60]


def test_resume_step_after_the_last_step_continues_the_attempt(tmp_path: Path) -> None:
    """Nothing is replaced, so that there is no second attempt."""
    loss_run(tmp_path, range(1, 41), seconds=100)
    resumed_run(tmp_path, range(41, 51), 41, seconds=500)

    run = load(tmp_path)

    assert len(run.attempts[0]) == 1
    assert steps(run) == [*range(1, 51)]
    assert run.hidden("loss", 0) == 0


@given(
    st.lists(
        st.tuples(
            st.integers(0, 12),
            st.dictionaries(st.sampled_from(["loss", "eval"]), st.sets(st.integers(0, 5), min_size=1)),
        ),
        max_size=6,
    )
)
def test_resumed_recordings_are_stitched_as_the_training_went(
    tmp_path_factory: pytest.TempPathFactory, recordings: list[tuple[int, dict[str, set[int]]]]
) -> None:
    """Each recording discards what was recorded from its resume step on, of every tag, and appends its own points."""
    directory = tmp_path_factory.mktemp("run")
    expected: dict[str, list[tuple[int, float]]] = {"loss": [], "eval": []}
    for number, (resume_step, offsets) in enumerate(recordings):
        seconds, content = (
            100 * (number + 1),
            [version_event(100.0 * (number + 1), bytes([number + 1]), resume_step=resume_step)],
        )
        for points in expected.values():
            points[:] = [point for point in points if point[0] < resume_step]
        for tag, steps_after in offsets.items():
            for step in sorted(resume_step + offset for offset in steps_after):
                content.append(scalar_event(seconds + 1, step, {tag: float(number)}))
                expected[tag].append((step, float(number)))
        (directory / f"events.out.events.summary.{seconds}.0.host_MS").write_bytes(b"".join(content))

    run = load(directory)

    for tag, points in expected.items():
        series = run.points(tag, 0)
        assert list(zip(series.step.tolist(), series.value.tolist(), strict=True)) == points
        everything = sum(len(offsets.get(tag, ())) for _, offsets in recordings)
        assert run.hidden(tag, 0) == everything - len(points)
        assert run.points(tag, 0, ALL).total == everything


def test_third_attempt_hides_points_of_both_earlier_ones(tmp_path: Path) -> None:
    """Each resumed attempt hides from its own step on; hidden counts the points of all earlier attempts."""
    loss_run(tmp_path, range(1, 56), seconds=100)
    resumed_run(tmp_path, range(41, 61), 41, seconds=500)
    resumed_run(tmp_path, range(31, 36), 31, seconds=700)

    run = load(tmp_path)

    assert len(run.attempts[0]) == 3
    assert steps(run) == [*range(1, 36)]
    assert run.hidden("loss", 0) == 25 + 20


def test_by_products_of_landscapes_neither_hide_nor_add_points(tmp_path: Path) -> None:
    """A file of landscapes, all at step 0, does not start an attempt; its scalars are in attempt=all only."""
    loss_run(tmp_path, range(1, 11), seconds=100)
    write_run(tmp_path, [landscape_event(201.0, "landscape_[1, 4]", {"loss": 9.0})], seconds=200)

    run = load(tmp_path)

    assert len(run.attempts[0]) == 1
    assert steps(run) == list(range(1, 11))
    assert steps(run, attempt=ALL) == [*range(1, 11), 0]


def test_evaluation_at_step_0_is_not_a_restart(tmp_path: Path) -> None:
    """A later file with a tag at step 0 only belongs to the same attempt."""
    loss_run(tmp_path, range(0, 11), seconds=100)
    loss_run(tmp_path, [0], seconds=200)

    assert len(load(tmp_path).attempts[0]) == 1


def test_ranks_are_read_from_file_names(tmp_path: Path) -> None:
    """Files of several ranks are one run; each rank has its own series and attempts."""
    loss_run(tmp_path, range(1, 11), seconds=100, rank=0)
    loss_run(tmp_path, range(1, 6), seconds=100, rank=3)
    loss_run(tmp_path, range(3, 9), seconds=200, rank=3)

    run = load(tmp_path)

    assert run.ranks_of(Tag("scalar", "loss")) == [0, 3]
    assert [len(attempts) for attempts in run.attempts.values()] == [1, 2]
    assert steps(run, rank=3) == [1, 2, *range(3, 9)]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_all_points_of_concurrent_tensorboard_writers(tmp_path: Path, order: Iterable[int]) -> None:
    """TensorBoard's files have no rank: rank 0 has the points of all that grow at the same time, rank n of the n-th."""
    for writer in order:
        content = b"".join(tensorboard_event(100 + writer + i, i, {"loss": float(writer)}) for i in range(20))
        (tmp_path / f"events.out.tfevents.100.host.{writer}").write_bytes(content)

    run = load(tmp_path)

    assert (run.writers, run.ranks_of(Tag("scalar", "loss"))) == (3, [0, 1, 2, 3])
    assert run.points("loss", 0).total == 60
    assert [set(run.points("loss", rank).value.tolist()) for rank in (1, 2, 3)] == [{0.0}, {1.0}, {2.0}]
    assert ranks(run, Tag("scalar", "loss"), Choice()) == [0]
    assert ranks(run, Tag("scalar", "loss"), Choice("all")) == [1, 2, 3]
    assert ranks(run, Tag("scalar", "loss"), Choice(2)) == [2]
    assert len(run.recordings) == 3


def test_tensorboard_files_beside_ranks(tmp_path: Path) -> None:
    """Files without a rank belong to the lowest rank of the others."""
    loss_run(tmp_path, range(1, 11), seconds=100, rank=1)
    content = b"".join(tensorboard_event(100 + i, i, {"other": 1.0}) for i in range(10))
    (tmp_path / "events.out.tfevents.100.host").write_bytes(content)

    run = load(tmp_path)

    assert (run.writers, list(run.attempts)) == (0, [1])
    assert run.points("other", 1).total == 10


def test_consecutive_tensorboard_writers_are_one_rank(tmp_path: Path) -> None:
    """A TensorBoard file that begins after another ended continues or restarts it."""
    for seconds, first in ((100, 1), (200, 6)):
        content = b"".join(tensorboard_event(seconds + i, first + i, {"loss": 0.0}) for i in range(10))
        (tmp_path / f"events.out.tfevents.{seconds}.host").write_bytes(content)

    run = load(tmp_path)

    assert run.ranks_of(Tag("scalar", "loss")) == [0]
    assert steps(run) == list(range(1, 16))


def test_restart_hides_points_of_each_tag_separately(tmp_path: Path) -> None:
    """A tag that a restart records once at a low step, or at step 0, hides no points of other tags."""
    first = [scalar_event(100 + i, i, {"loss": 1.0}) for i in range(1, 101)]
    write_run(tmp_path, [scalar_event(100, 1, {"startup": 1.0}), *first], seconds=100)
    again = [scalar_event(600 + i, i, {"loss": 2.0}) for i in (0, *range(50, 121))]
    write_run(tmp_path, [scalar_event(600, 1, {"startup": 2.0}), *again], seconds=600)

    run = load(tmp_path)

    assert len(run.attempts[0]) == 2
    assert steps(run) == [*range(1, 50), 0, *range(50, 121)]
    assert run.points("startup", 0).value.tolist() == [2.0]

"""The subcommands that answer questions: both outputs, exit statuses, and the same values as the API."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import jsonschema_rs
import numpy as np
import orjson
import pytest
from PIL import Image
from support.event_files import GOLDEN, loss_run, scalar_event, write_run
from support.servers import Serve

from toposcope.proto.framing import frame
from toposcope.proto.summary_pb2 import ConsoleOutput, Event
from toposcope.recorder import SummaryRecord, train_lineage

Command = Callable[..., subprocess.CompletedProcess[str]]
MINDSPORE = "mindspore/digits_momentum"


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    """Return a logdir of three runs with a learning rate, an accuracy and a text."""
    for rate, accuracy in ((0.001, 0.7), (0.01, 0.95), (0.1, 0.4)):
        with SummaryRecord(tmp_path / "sweep" / f"lr={rate}") as run:
            run.add_value("train_lineage", "lineage", train_lineage(learning_rate=rate, batch_size=32))
            run.add_value("text", "notes", f"# Rate {rate}")
            for step in range(10):
                run.add_value("scalar", "validation/accuracy", accuracy * step / 9)
                run.add_value("scalar", "train/loss", 1 / (1 + step * rate))
                run.record(step)
    return tmp_path / "sweep"


def ask(command: Command, name: str, *arguments: object) -> Any:
    """Return the JSON of an answer, which follows its schema."""
    done = command(name, *arguments, "--json")
    assert done.stderr == ""
    answer = orjson.loads(done.stdout)
    schema = orjson.loads(command(name, "--schema").stdout)
    jsonschema_rs.validate(schema, answer)
    return answer


def test_runs_are_those_of_the_api(command: Command, golden: httpx.Client) -> None:
    """In the same order, with the values of the table."""
    answer = ask(command, "runs", GOLDEN, "--sort", "name", "--columns", "state,step,learning_rate,min(loss/auto)")
    listed = golden.get("/api/overview", params={"sort": "name", "metric": "loss/auto"}).json()["runs"]

    assert [run["run"] for run in answer["runs"]] == [run["run"] for run in listed]
    for run, expected in zip(answer["runs"], listed, strict=True):
        metric = expected["metrics"].get("loss/auto")
        assert run["values"] == {
            "state": expected["state"],
            "step": expected["last_step"],
            "learning_rate": expected["hyper_parameters"].get("learning_rate"),
            "min(loss/auto)": metric and metric["min"]["value"],
        }


def test_tags_are_those_of_the_api(command: Command, golden: httpx.Client) -> None:
    """Of one run, with their points and steps; and of all runs."""
    of_run = golden.get("/api/tags", params={"run": MINDSPORE}).json()["tags"]
    of_all = golden.get("/api/tags").json()["tags"]
    names = ("plugin", "tag", "points", "first_step", "last_step")

    found = ask(command, "tags", GOLDEN, "--run", MINDSPORE)["tags"]
    assert [{name: tag[name] for name in names} for tag in found] == [
        {name: tag[name] for name in names} for tag in of_run
    ]
    found = ask(command, "tags", GOLDEN)["tags"]
    assert [(tag["tag"], tag["runs"]) for tag in found] == [(tag["tag"], tag["runs"]) for tag in of_all]


def test_get_prints_every_point_of_the_api(command: Command, golden: httpx.Client) -> None:
    """Those of tags and expressions, in a window, smoothed; as text about as many as requested."""
    window: dict[str, str | int] = {
        "run": MINDSPORE,
        "tag": "loss/auto",
        "expr": "2 * loss/auto",
        "lo": 10,
        "hi": 80,
        "points": 0,
        "smooth": "ema:0.5",
    }
    expected = golden.get("/api/scalars", params=window).json()["series"]
    selected = ("--run", MINDSPORE, "--tag", "loss/auto", "--expr", "2 * loss/auto", "--steps", "10:80")

    found = ask(command, "get", GOLDEN, *selected, "--smooth", "ema:0.5")["series"]
    names = ("run", "tag", "rank", "step", "value", "smoothed", "total", "min", "min_step", "max", "max_step")
    assert [{name: each[name] for name in names} for each in found] == [
        {name: each[name] for name in names} for each in expected
    ]
    lines = command("get", GOLDEN, "--run", MINDSPORE, "--tag", "loss/auto", "--points", 5).stdout.splitlines()
    assert lines[0].startswith(f"loss/auto of {MINDSPORE}: ")
    assert 3 < len(lines) < 12


def test_show_has_what_the_table_of_runs_has(command: Command, golden: httpx.Client) -> None:
    """State, hyperparameters, and the statistics of every scalar."""
    answer = ask(command, "show", GOLDEN, MINDSPORE)
    parameters = {"run": MINDSPORE, "metric": [metric["tag"] for metric in answer["metrics"]]}
    (expected,) = golden.get("/api/overview", params=parameters).json()["runs"]

    assert answer["state"] == expected["state"]
    assert answer["hyper_parameters"] == expected["hyper_parameters"]
    for metric in answer["metrics"]:
        found = expected["metrics"][metric["tag"]]
        assert (metric["last"], metric["last_step"]) == (found["last"], found["last_step"])
        assert (metric["min"], metric["min_step"]) == (found["min"]["value"], found["min"]["step"])


def test_compare_shows_what_differs(command: Command, sweep: Path) -> None:
    """Hyperparameters that are equal are counted only; metrics have the difference from the first run."""
    answer = ask(command, "compare", sweep, "lr=0.001", "lr=0.01")
    metrics = {metric["tag"]: metric for metric in answer["metrics"]}

    assert answer["parameters"] == [{"name": "learning_rate", "values": [0.001, 0.01]}]
    assert answer["equal_parameters"] >= 1
    assert metrics["validation/accuracy"]["statistic"] == "max"
    assert metrics["validation/accuracy"]["deltas"] == pytest.approx([0, 0.25], abs=1e-6)
    assert "0.95 (+0.25)" in command("compare", sweep, "lr=0.001", "lr=0.01").stdout


def test_best_run_is_first(command: Command, sweep: Path) -> None:
    """The direction is that of the metric's name; with groups, the best run of each."""
    answer = ask(command, "best", sweep, "--metric", "validation/accuracy")
    assert [run["run"] for run in answer["runs"]] == ["lr=0.01", "lr=0.001", "lr=0.1"]
    assert answer["runs"][0]["step"] == 9
    answer = ask(command, "best", sweep, "--metric", "min(train/loss)", "learning_rate<0.1", "--limit", "1")
    assert [run["run"] for run in answer["runs"]] == ["lr=0.01"]
    answer = ask(command, "best", sweep, "--metric", "validation/accuracy", "--by", "param:batch_size")
    assert [(run["run"], run["group"]) for run in answer["runs"]] == [("lr=0.01", "32")]


def test_best_needs_to_know_what_is_better(command: Command, tmp_path: Path) -> None:
    """A name that does not say it is an error that names the ways to say it."""
    loss_run(tmp_path, range(3), tag="thing")
    done = command("best", tmp_path, "--metric", "thing")
    assert (done.returncode, done.stdout) == (2, "")
    assert "expected min(thing) or max(thing)" in done.stderr


def test_texts_are_printed(command: Command, sweep: Path) -> None:
    """Those of all tags of the run."""
    answer = ask(command, "text", sweep, "lr=0.01")
    assert [(text["tag"], text["step"], text["text"]) for text in answer["texts"]] == [("notes", 0, "# Rate 0.01")]
    assert "  # Rate 0.01" in command("text", sweep, "lr=0.01").stdout


def test_console_is_that_of_the_api(command: Command, serve: Serve, tmp_path: Path) -> None:
    """All lines, the last ones, and those with a text."""
    output = ConsoleOutput(lines=[ConsoleOutput.Line(wall_time=1.0, text=f"step {number}") for number in range(9)])
    write_run(tmp_path, [frame(Event(wall_time=2.0, console=output).SerializeToString())])
    expected = serve(tmp_path).get("/api/console", params={"run": "."}).json()["lines"]

    assert ask(command, "console", tmp_path, ".")["lines"] == expected
    assert [line["number"] for line in ask(command, "console", tmp_path, ".", "--after", "-2")["lines"]] == [8, 9]
    assert command("console", tmp_path, ".", "--search", "STEP 3").stdout == "step 3\n"


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("runs",), 0),
        (("runs", "name:nothing"), 1),
        (("runs", "lr<"), 2),
        (("runs", "--limit", "-1"), 2),
        (("runs", "--formats", "nothing"), 2),
        (("runs", "--sort", "a b"), 2),
        (("tags", "--search", "nothing"), 1),
        (("tags", "--run", "nothing"), 1),
        (("get", "--tag", "nothing"), 1),
        (("get",), 2),
        (("get", "--tag", "train/loss", "--steps", "9:1"), 2),
        (("get", "--expr", "1 +"), 2),
        (("show", "nothing"), 1),
        (("compare", "lr=0.1"), 2),
        (("compare", "lr=0.1", "nothing"), 1),
        (("best", "--metric", "max(nothing)"), 1),
        (("console", "lr=0.1"), 1),
        (("text", "lr=0.1", "--tag", "nothing"), 1),
        (("diagnose", "nothing"), 1),
        (("check", "--fail-if", "max(validation/accuracy) < 0.3"), 0),
        (("check", "--fail-if", "max(validation/accuracy) < 0.9"), 1),
        (("check", "name:0.01", "--fail-if", "max(validation/accuracy) < 0.9"), 0),
        (("check", "--fail-if", "max(nothing) < 0.9"), 1),
        (("check", "name:nothing", "--fail-if", "state:failed"), 1),
        (("check", "--fail-if", "max(validation/accuracy) < high"), 2),
    ],
)
def test_exit_status_says_whether_something_matched(
    command: Command, sweep: Path, arguments: tuple[str, ...], status: int
) -> None:
    """0: found; 1: nothing matched, or a check failed; 2: wrong usage. Errors are one line."""
    name, *rest = arguments
    done = command(name, sweep, *rest)
    assert done.returncode == status, done.stderr
    assert len(done.stderr.splitlines()) <= 1


def test_check_fails_for_runs_that_lack_the_metric(command: Command, sweep: Path) -> None:
    """Nothing is known of them; the search leaves out runs that need not have it."""
    loss_run(sweep / "other", range(3))
    condition = ("--fail-if", "max(validation/accuracy) < 0.3")

    answer = ask(command, "check", sweep, *condition)
    assert (answer["failed"], answer["lacking"]) == ([], ["other"])
    assert command("check", sweep, *condition).returncode == 1
    assert command("check", sweep, "name:lr", *condition).returncode == 0


def test_diagnosis_names_the_numbers(command: Command, tmp_path: Path) -> None:
    """A loss that becomes NaN."""
    values = [1 / (1 + step) if step < 30 else float("nan") for step in range(40)]
    write_run(tmp_path, [scalar_event(1.0 + step, step, {"loss": value}) for step, value in enumerate(values)])

    (finding,) = ask(command, "diagnose", tmp_path, ".")["findings"]
    assert (finding["kind"], finding["step"]) == ("non_finite", 30)
    assert finding["numbers"] == {"points": 10, "of": 40}
    assert "not finite from step 30 on in 10 of 40 points" in command("diagnose", tmp_path, ".").stdout


def test_names_are_escaped_on_the_terminal(command: Command, tmp_path: Path) -> None:
    """Those of runs, tags and texts; JSON has them as they are."""
    hostile = "a\x1b[31mb"
    with SummaryRecord(tmp_path / hostile) as run:
        run.add_value("scalar", "c\x1b[0m\nd", 1.0)
        run.add_value("text", "e", "\x1b]0;title\x07")
        run.record(1)

    for arguments in (("runs",), ("tags",), ("show", hostile), ("text", hostile), ("diagnose", hostile)):
        done = command(arguments[0], tmp_path, *arguments[1:])
        assert "\x1b" not in done.stdout + done.stderr
    assert [run["run"] for run in ask(command, "runs", tmp_path)["runs"]] == [hostile]


def test_index_is_written_outside_the_logdir_only(command: Command, tmp_path: Path) -> None:
    """The logdir stays as it was."""
    loss_run(tmp_path / "logs", range(3))
    done = command("runs", tmp_path / "logs", "--index-dir", tmp_path / "logs" / "index")
    assert done.returncode == 2
    assert "inside DIR, which is read-only" in done.stderr
    assert command("runs", tmp_path / "logs", "--index-dir", tmp_path / "index").returncode == 0
    assert len(list((tmp_path / "logs").iterdir())) == 1
    assert any((tmp_path / "index").iterdir())


def test_jsonl_prints_an_item_in_a_line(command: Command, sweep: Path) -> None:
    """Those of --json: runs, tags and series."""
    for name, rows, *arguments in (
        ("runs", "runs"),
        ("tags", "tags"),
        ("get", "series", "--tag", "train/loss"),
    ):
        lines = command(name, sweep, *arguments, "--jsonl").stdout.splitlines()
        assert [orjson.loads(line) for line in lines] == ask(command, name, sweep, *arguments)[rows]
        assert len(lines) > 1
    assert command("runs", sweep, "--jsonl", "--json").returncode == 2


def test_image_is_written_as_recorded(command: Command, tmp_path: Path) -> None:
    """The last one, or that of a step; an unknown step has no file."""
    with SummaryRecord(tmp_path / "runs" / "first") as run:
        for step in (0, 5):
            run.add_value("image", "picture", np.full((1, 3, 4, 6), step * 40, np.uint8))
            run.record(step)
    for arguments, level in (((), 200), (("--step", 0), 0)):
        out = tmp_path / "picture.png"
        assert command("image", tmp_path / "runs", "first", "picture", *arguments, "--out", out).returncode == 0
        with Image.open(out) as image:
            assert (image.size, image.getpixel((0, 0))) == ((6, 4), (level, level, level))
    out = tmp_path / "other.png"
    done = command("image", tmp_path / "runs", "first", "picture", "--step", 3, "--out", out)
    assert done.returncode == 1
    assert "no image of 'picture' at step 3" in done.stderr
    assert not out.exists()

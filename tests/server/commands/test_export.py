"""summary-server export: runs as files that other programs read."""

import csv
import io
import json
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from support.event_files import GOLDEN, loss_run, scalar_event, write_run
from support.summary_values import MindSporeValue, of_plugin, record, strings, tensorboard_run

from toposcope.proto.summary_pb2 import Summary
from toposcope.server.commands.export_folder import run_folders
from toposcope.server.text.safe_name import safe_name

Command = Callable[..., subprocess.CompletedProcess[str]]
RUN = GOLDEN / "mindspore/digits_momentum"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(30)
JPEG = b"\xff\xd8\xff\xe0" + bytes(30)


def export(command: Command, *arguments: object, status: int = 0) -> dict[str, Any]:
    """Run the export; return the manifest."""
    done = command("export", *arguments)
    assert (done.returncode, done.stderr) == (status, ""), done.stderr
    out = Path(str(arguments[arguments.index("--out") + 1]))
    manifest: dict[str, Any] = json.loads((out / "manifest.json").read_text())
    files = sorted(entry["file"] for entry in manifest["files"])
    assert files == sorted(
        path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file() and path.name != "manifest.json"
    )
    return manifest


def image(tag: str, content: bytes) -> MindSporeValue:
    return MindSporeValue(tag=tag, image=Summary.Image(height=1, width=1, colorspace=3, encoded_image=content))


def files_of(manifest: dict[str, Any], plugin: str) -> list[str]:
    return [entry["file"] for entry in manifest["files"] if entry["plugin"] == plugin]


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def test_tensors_equal_those_exported_by_mindspore(tmp_path: Path, command: Command) -> None:
    """Every npy file equals that of MindSpore's own export, byte for byte and with the same name."""
    export(command, RUN, "--out", tmp_path / "out", "--plugin", "tensor")
    exported = RUN / "export_1795226941" / "tensor"

    assert {path.name: path.read_bytes() for path in (tmp_path / "out" / "tensor").iterdir()} == {
        path.name: path.read_bytes() for path in exported.iterdir()
    }


def test_csv_equals_that_of_the_api(tmp_path: Path, command: Command, serve: Callable[..., httpx.Client]) -> None:
    """Scalars are the same text as in /api/scalars.csv for the run."""
    name = "tensorboard/tensorboardx/lr_0.1"
    export(command, GOLDEN, "--out", tmp_path / "out", "--plugin", "scalar")
    client = serve(GOLDEN)
    rows = rows_of(tmp_path / "out" / name / "scalar.csv")

    for tag in ("train/loss", "bad"):
        reply = client.get("api/scalars.csv", params={"run": name, "tag": tag}).raise_for_status()
        assert [row for row in rows if row["tag"] == tag] == list(csv.DictReader(io.StringIO(reply.text)))
    assert {row["value"] for row in rows if row["tag"] == "bad"} == {"NaN", "Infinity", "3.0"}


def test_all_plugins_of_a_run_are_exported(tmp_path: Path, command: Command) -> None:
    """Pictures are unchanged, lists and trees are JSON; the run of the logdir itself has no subdirectory."""
    manifest = export(command, RUN, "--out", tmp_path / "out")
    out = tmp_path / "out"
    landscape = json.loads((out / "landscape" / "landscape_%5B1%2C%204%5D_0.json").read_text())
    histogram = json.loads((out / "histogram" / "fc2.bias%2Fauto.json").read_text())
    graph = json.loads((out / "graph" / "graph_0.json").read_text())

    assert (manifest["runs"], manifest["damaged"], manifest["left_out"]) == (["."], [], [])
    assert len(files_of(manifest, "image")) == 38
    assert all((out / name).read_bytes().startswith(PNG[:8]) for name in files_of(manifest, "image"))
    assert (landscape["kind"], np.shape(landscape["z"])) == ("interval", (len(landscape["y"]), len(landscape["x"])))
    assert [point["step"] for point in histogram["histograms"]] == [1, *range(5, 91, 5)]
    assert sum(count for _, _, count in histogram["histograms"][0]["buckets"]) == histogram["histograms"][0]["count"]
    assert len(graph["nodes"]) > 89
    assert json.loads((out / "lineage.json").read_text())["metrics"]["accuracy"] > 0.8
    assert json.loads((out / "dataset_graph.json").read_text())["op_type"] == "Batch"


def test_golden_runs_of_every_writer_are_exported(tmp_path: Path, command: Command) -> None:
    """Tags of unsupported plugins are listed; nothing else is missing."""
    manifest = export(command, GOLDEN, "--out", tmp_path / "out")

    left_out = {(each["plugin"], each["tag"]) for each in manifest["left_out"]}
    assert left_out == {("custom_scalars", "custom_scalars__config__"), ("pr_curves", "pr")}
    assert manifest["damaged"] == []
    assert {entry["plugin"] for entry in manifest["files"]} >= {"scalar", "image", "text", "histogram", "hparams"}


def test_pictures_keep_their_format(tmp_path: Path, command: Command) -> None:
    """Bytes are never converted: the extension is that of their format, .bin if it is unknown."""
    values = [image("a", PNG), image("b", JPEG), image("c", b"<svg/>")]
    write_run(tmp_path / "logs", [record(2.0, 7, *values)])

    export(command, tmp_path / "logs", "--out", tmp_path / "out")

    pictures = {path.name: path.read_bytes() for path in (tmp_path / "out" / "image").iterdir()}
    assert pictures == {"a_7.png": PNG, "b_7.jpg": JPEG, "c_7.bin": b"<svg/>"}


def test_hostile_tags_neither_escape_the_directory_nor_collide(tmp_path: Path, command: Command) -> None:
    """Every tag has separate files in the directory, which the manifest lists."""
    tags = ["../../x", "/etc/passwd", "a/b", "a%2Fb", "A/b", "a\\b", "..", ".", "", "con", "x" * 3000, "x" * 3001]
    tags += ["nul\x00", "line\nend", "损失", "a:b*c?", "-rf", "~", "$(id)", "scalar.csv"]
    values = [image(tag, PNG + tag.encode()) for tag in tags]
    write_run(tmp_path / "logs" / "deep", [record(2.0, 0, *values), record(3.0, 0, values[0])])
    before = sorted(tmp_path.rglob("*"))

    manifest = export(command, tmp_path / "logs", "--out", tmp_path / "deep" / "out")

    exported = {(entry["tag"], (tmp_path / "deep/out" / entry["file"]).read_bytes()) for entry in manifest["files"]}
    assert exported == {(tag, PNG + tag.encode()) for tag in tags}
    names = [entry["file"].lower() for entry in manifest["files"]]
    assert len(set(names)) == len(names) == len(tags) + 1
    assert all(name.startswith("deep/image/") and name.isascii() and name.count("/") == 2 for name in names)
    assert max(len(Path(name).name) for name in names) < 200
    new = set(tmp_path.rglob("*")) - set(before) - {tmp_path / "deep"}
    assert all(path.is_relative_to(tmp_path / "deep" / "out") for path in new)


@pytest.mark.parametrize(
    ("run", "folders"),
    [
        (".", ()),
        ("a/b", ("a", "b")),
        ("a/image", ("a", "%69mage")),
        ("Scalar.csv", ("%53calar.csv",)),
        ("aux.d", ("%61ux.d",)),
        ("...", ("%2E%2E%2E",)),
        ("a b/损", ("a%20b", "%E6%8D%9F")),
    ],
)
def test_directories_of_runs_are_those_of_the_logdir_except_for_reserved_names(
    run: str, folders: Iterable[str]
) -> None:
    """A run named like a file or directory of an export is renamed, and so are names that are not portable."""
    assert run_folders(run) == folders


def test_long_names_end_in_a_checksum() -> None:
    """Tags that differ only at their end have different names."""
    first, second = safe_name("损" * 200 + "a"), safe_name("损" * 200 + "b")

    assert first != second
    assert max(len(first), len(second)) <= 150


def test_runs_tags_ranks_and_attempts_are_selected_as_in_the_api(tmp_path: Path, command: Command) -> None:
    """By default attempts are stitched, and only the lowest rank is exported."""
    logs = tmp_path / "logs"
    loss_run(logs / "a", range(10), seconds=1)
    loss_run(logs / "a", range(5, 8), seconds=100)
    loss_run(logs / "a", range(4), seconds=1, rank=1)
    loss_run(logs / "a", range(2), seconds=1, rank=2, tag="other")
    loss_run(logs / "b", range(3))

    def steps(*arguments: object) -> dict[str, list[tuple[str, str, int]]]:
        out = tmp_path / f"out{len(list(tmp_path.iterdir()))}"
        manifest = export(command, logs, "--out", out, *arguments)
        rows = {name: rows_of(out / name) for name in files_of(manifest, "scalar")}
        return {name: [(row["tag"], row["rank"], int(row["step"])) for row in each] for name, each in rows.items()}

    stitched = [("loss", "0", step) for step in range(8)]
    assert steps("--run", "a", "--tag", "loss") == {"a/scalar.csv": stitched}
    assert len(steps()["a/scalar.csv"]) == 10
    assert steps("--run", "b", "--run", "a", "--attempt", "2") == {"a/scalar.csv": stitched[5:]}
    assert len(steps("--tag", "loss", "--attempt", "all", "--rank", "all")["a/scalar.csv"]) == 17
    assert steps("--rank", "1") == {"a/scalar.csv": [("loss", "1", step) for step in range(4)]}


def test_damaged_values_are_left_out_and_listed_and_the_status_is_1(tmp_path: Path, command: Command) -> None:
    """Intact values are exported; the manifest lists the others with the reason."""
    path = write_run(tmp_path / "logs", [record(2.0, step, image("big", PNG + bytes(10_000))) for step in range(3)])
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)

    manifest = export(command, tmp_path / "logs", "--out", tmp_path / "out", status=1)

    (damaged,) = manifest["damaged"]
    assert (damaged["tag"], damaged["step"]) == ("big", 2)
    assert "checksum" in damaged["reason"]
    assert files_of(manifest, "image") == ["image/big_0.png", "image/big_1.png"]


def test_texts_are_markdown_and_tables_json(tmp_path: Path, command: Command) -> None:
    """A text is exported unchanged, a table with its dimensions."""
    table = of_plugin("text", "table", strings(b"a", b"b", dims=[1, 2]))
    tensorboard_run(tmp_path / "logs", [(1, of_plugin("text", "one", strings("# é".encode()))), (2, table)])

    export(command, tmp_path / "logs", "--out", tmp_path / "out")

    assert (tmp_path / "out/text/one_1.md").read_text("utf-8") == "# é"
    assert json.loads((tmp_path / "out/text/table_2.json").read_text()) == {"dims": [1, 2], "texts": ["a", "b"]}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["LOGS"], "--out"),
        (["missing", "--out", "OUT"], "'missing' does not exist"),
        (["EMPTY", "--out", "OUT"], "has no runs"),
        (["LOGS", "--out", "FULL"], "is not empty"),
        (["LOGS", "--out", "FILE"], "FILE"),
        (["LOGS", "--out", "INSIDE"], "is inside DIR"),
        (["LOGS", "--out", "OUT", "--run", "b"], "--run 'b' does not exist: expected one of 'a'"),
        (
            ["LOGS", "--out", "OUT", "--tag", "lost"],
            "--tag 'lost' does not exist in the selected runs",
        ),
        (["LOGS", "--out", "OUT", "--plugin", "video"], "'video'"),
        (["LOGS", "--out", "OUT", "--plugin", "graph", "--tag", "loss"], "--plugin selects none of them"),
        (["LOGS", "--out", "OUT", "--rank", "first"], "invalid rank 'first'"),
        (["LOGS", "--out", "OUT", "--attempt", "0"], "invalid attempt '0'"),
    ],
)
def test_errors_are_one_line_and_nothing_is_written(
    tmp_path: Path, command: Command, arguments: list[str], message: str
) -> None:
    """Nothing is overwritten, and the logdir is never written."""
    loss_run(tmp_path / "logs" / "a", range(3))
    names = {name: tmp_path / name.lower() for name in ("LOGS", "OUT", "FULL", "EMPTY", "FILE")}
    names["INSIDE"] = tmp_path / "logs" / "out"
    for folder in ("full", "empty"):
        (tmp_path / folder).mkdir()
    (tmp_path / "full" / "mine.txt").touch()
    (tmp_path / "file").touch()
    before = sorted(tmp_path.rglob("*"))

    done = command("export", *[names.get(argument, argument) for argument in arguments])

    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert message.replace("FILE", str(names["FILE"])) in line
    assert sorted(tmp_path.rglob("*")) == before


def test_scalars_with_hostile_tags_have_one_row_each(tmp_path: Path, command: Command) -> None:
    """Quotes, commas and line ends in tags are quoted according to RFC 4180."""
    tags = ['a,"b"\nc', "损失", "=1+1"]
    write_run(tmp_path / "logs", [scalar_event(2.0, 0, dict.fromkeys(tags, 0.1))])

    export(command, tmp_path / "logs", "--out", tmp_path / "out")

    text = (tmp_path / "out/scalar.csv").read_bytes().decode("utf-8")
    assert [row["tag"] for row in csv.DictReader(io.StringIO(text, newline=""))] == tags

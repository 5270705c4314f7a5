"""Logs that cannot be translated, and files that only have the names of logs."""

import re
import sqlite3
from pathlib import Path

import pytest
from support.servers import run

from toposcope.server.formats.format import Candidate, Output, Source, Stamp, State, file_stamp
from toposcope.server.formats.formats import Formats
from toposcope.server.loading.translations import Translations
from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.places.place import Place


class Picky:
    """A format that refuses files which do not begin with "good"."""

    name = "picky"
    names = re.compile(r"\.picky$")

    def __init__(self) -> None:
        self.reads = 0

    def examine(self, candidate: Candidate) -> Source:
        status = candidate.status
        return Source(self.name, candidate.path, candidate.run, "it is one", candidate.path, status.modified)

    def stamp(self, source: Source, place: Place) -> Stamp:
        return file_stamp(source.path, place)

    def read(self, source: Source, place: Place, state: State, output: Output) -> bool:
        self.reads += 1
        if not Path(source.path).read_text().startswith("good"):
            raise ValueError("it is not good")
        output.run().scalars(0, 1.0, [("loss", 1.0)])
        return False


def test_a_log_that_is_refused_is_read_again_once_it_has_changed(tmp_path: Path) -> None:
    """Otherwise the server would read it twice a second, however large it is."""
    log = tmp_path / "a.picky"
    log.write_text("bad")
    picky = Picky()
    formats = Formats([picky])
    translations = Translations(formats, UNCHECKED)
    translations.replace(formats.find(str(tmp_path), ".", UNCHECKED.list(str(tmp_path)).entries, UNCHECKED), {}, "")

    for _ in range(3):
        assert list(translations.advance(10)) == []
        assert translations.concerns(str(log), str(tmp_path))
        translations.poll()
    assert (picky.reads, translations.problems) == (1, {str(log): "it is not good"})

    log.write_text("good now")
    translations.concerns(str(log), str(tmp_path))
    translations.poll()
    assert [file.run for file in translations.advance(10)] == ["."]
    assert (picky.reads, translations.problems) == (2, {})


def database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE metrics (name TEXT)")
    connection.close()


REFUSED = {
    "metrics.csv": (
        "step\n1\n",
        "lightning: there is no 'hparams.yaml' beside it; table: it does not have 2 to 10,000 columns",
    ),
    "names.csv": ("name,price\na,1\n", "table: no column is a step or a time"),
    "header.csv": ("step,loss\n", "table: it has no complete row"),
    "binary.csv": ("step,loss\n\0", "table: it is no text"),
    "texts.jsonl": ('{"step": 1, "name": "a"}\n', "table: no column but 'step' has numbers"),
    "data/log.csv": ("step,loss\n1,2\n", "table: it lies in a folder 'data', which usually has data"),
    "trainer_state.json": ("{}", "transformers: it is no JSON object with a 'log_history' near its beginning"),
    "run.json": ("{}", "sacred: there is no 'config.json' beside it"),
    "run-x.wandb": ("x", "wandb: it does not begin with ':W&B'"),
    "meta.yaml": ("a: 1\n", "mlruns: it has no 'experiment_id'"),
    "text.db": ("x", "mlflow: it is no SQLite database; trackio: it is no SQLite database"),
    "other.db": (
        None,
        "mlflow: it does not have the tables experiments, runs, metrics, params, tags; trackio: it does not have a"
        " table metrics with the columns metrics, run_name, step, timestamp",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_inspect_says_why_a_file_with_the_name_of_a_log_was_refused(tmp_path: Path, name: str) -> None:
    content, why = REFUSED[name]
    path = tmp_path / "logs" / name
    path.parent.mkdir(parents=True)
    if content is None:
        database(path)
    else:
        path.write_text(content)
    assert f"{path} is no log: {why}\n" in run("inspect", tmp_path / "logs").stdout
    assert f"nor a log in another format: {why}\n" in run("inspect", path).stderr or name.startswith("data/")


def test_inspect_counts_refused_files_beyond_a_hundred(tmp_path: Path) -> None:
    for number in range(103):
        (tmp_path / f"{number}.csv").write_text("name,price\na,1\n")
    lines = run("inspect", tmp_path).stdout.splitlines()
    assert sum(" is no log: " in line for line in lines) == 100
    assert "3 more files with the names of logs: see --json" in lines

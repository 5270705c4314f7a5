"""Logs that cannot be translated."""

import re
from pathlib import Path

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

    def examine(self, candidate: Candidate) -> Source | None:
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

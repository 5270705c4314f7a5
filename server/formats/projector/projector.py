"""Translates `projector_config.pbtxt`: each embedding becomes a value of the plugin "projector", with its files."""

import os
import re
from contextlib import closing

from toposcope.server.formats.format import Candidate, Output, Source, Stamp, StartOver, State, file_stamp
from toposcope.server.formats.projector.config import LARGEST_LIST, name_and_step, read_config
from toposcope.server.places.place import Place


class Projector:
    """The format of the list that TensorBoard's projector reads."""

    name = "projector"
    names = re.compile(r"^projector_config\.pbtxt$")

    def examine(self, candidate: Candidate) -> Source | str:
        """Return the source that a file is: its name says enough."""
        why = "its name is 'projector_config.pbtxt'"
        return Source(self.name, candidate.path, candidate.run, why, candidate.path, candidate.status.modified)

    def stamp(self, source: Source, place: Place) -> Stamp:
        """Return the stamp of the list; the files that it names are read when they are requested."""
        return file_stamp(source.path, place)

    def read(self, source: Source, place: Place, state: State, output: Output) -> bool:
        """Translate the embeddings that are new: writers append to the list."""
        with closing(place.open(source.path)) as file:
            content, wall_time = file.read(0, LARGEST_LIST + 1), file.status.modified
        embeddings = read_config(content)
        entries = [embedding.SerializeToString(deterministic=True).hex() for embedding in embeddings]
        known: list[str] = state.get("entries", [])
        if entries[: len(known)] != known:
            raise StartOver
        writer = output.run()
        for embedding in embeddings[len(known) :]:
            name, step = name_and_step(embedding)
            embedding.directory = os.path.dirname(source.path)
            writer.content(step, wall_time, name, self.name, embedding.SerializeToString())
        state["entries"] = entries
        return False


PROJECTOR_LIST = Projector()

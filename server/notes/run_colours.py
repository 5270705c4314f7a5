"""The colour of each run: chosen when the run is first listed, and the same for good."""

import logging
import threading
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from itertools import islice

from toposcope.server.data_files.json_files import Content, JsonFiles
from toposcope.server.places.place import reason_of
from toposcope.server.runs.run import RunView

COLOURS = 24
"""The size of the page's palette."""
_TIER = 8
"""The first colours of the palette differ most: so many runs share none, and have only those."""
_STEP = 3
"""From a colour that is in use to the next candidate of its tier."""
_MAX_KEPT = 2000
"""The colours of further runs are their first choices: of so many, no line is known by its colour."""
_FILE = "colours.json"
LARGEST_FILE = 4 << 20

log = logging.getLogger(__name__)


class RunColours:
    """Chooses colours, and keeps them in the data folder, where other servers find them. Threads may share it.

    A run gets the colour that its name is hashed to, or the next one, if that is used by more of the runs that exist:
    8 runs have the 8 colours that differ most, 24 runs have 24. No run changes its colour when others appear or vanish,
    or when it comes back.

    Args:
        files: contain the chosen colours; None: they are kept in memory only.
    """

    def __init__(self, files: JsonFiles | None) -> None:
        self._files = files
        self._lock = threading.Lock()
        self._known: dict[str, int] = {}
        self._seen: Mapping[str, RunView] | None = None

    def of(self, runs: Mapping[str, RunView]) -> Mapping[str, int]:
        """Return the colours of all runs of the logdir and perhaps of others, as in `Run.colour`."""
        with self._lock:
            if runs is not self._seen:
                if new := runs.keys() - self._known.keys():
                    self._add(sorted(new, key=lambda name: (runs[name].started or float("inf"), name)), runs.keys())
                self._seen = runs
            return self._known

    def _add(self, new: list[str], existing: Set[str]) -> None:
        if self._files is None or len(self._known) >= _MAX_KEPT:
            self._known = self._known | chosen(new, self._known, existing)
            return

        def choose(content: Content | None) -> Content:
            known = self._known | _stored(content)
            self._known = known | chosen([name for name in new if name not in known], known, existing)
            return {"colours": dict(islice(self._known.items(), _MAX_KEPT))}

        try:
            self._files.update(_FILE, choose, is_indented=False)
        except OSError as error:
            log.warning("the colours of runs cannot be kept: %s", reason_of(error))
            self._known = self._known | chosen(new, self._known, existing)


def chosen(new: Iterable[str], known: Mapping[str, int], existing: Set[str]) -> dict[str, int]:
    """Return the colours of new runs, in order, beside the known ones of other runs that exist."""
    taken = {known[name] for name in existing & known.keys()}
    uses = Counter(colour % COLOURS for colour in taken)
    colours: dict[str, int] = {}
    for name in new:
        number = zlib.crc32(name.encode())
        if len(known) + len(colours) >= _MAX_KEPT:
            colours[name] = number % COLOURS
            continue
        tier = [(number + _STEP * place) % _TIER for place in range(_TIER)]
        candidates = [start + place for start in range(0, COLOURS, _TIER) for place in tier]
        colour = min(candidates, key=lambda candidate: uses[candidate])
        uses[colour] += 1
        while colour in taken:
            colour += COLOURS
        taken.add(colour)
        colours[name] = colour
    return colours


def _stored(content: Content | None) -> dict[str, int]:
    colours = (content or {}).get("colours")
    if not isinstance(colours, dict):
        return {}
    return {name: colour for name, colour in colours.items() if isinstance(colour, int) and colour >= 0}

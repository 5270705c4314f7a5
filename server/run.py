"""One run: its files sorted by rank and attempt, and its series put together from them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property

from toposcope.server.attempts import Attempt, find_attempts, first_wall_time, is_by_product, overlaps, stitch
from toposcope.server.event_file import FileView
from toposcope.server.series import NO_POINTS, Points, concatenate
from toposcope.server.tag_table import Tag

ALL = "all"
"""As an attempt: every point in file order, nothing hidden."""


class RunView:
    """What is known of a run at one moment. Immutable but for what it remembers of its own answers."""

    def __init__(self, name: str, files: Iterable[FileView], revision: int, live: bool) -> None:
        self.name = name
        self.files = sorted(files, key=first_wall_time)
        self.revision = revision
        self.live = live
        self._points: dict[tuple[str, int, int | str | None], Points] = {}

    @cached_property
    def started(self) -> float | None:
        """Smallest wall_time, in seconds since 1970."""
        return min((file.wall_times[0] for file in self.files if file.wall_times), default=None)

    @cached_property
    def updated(self) -> float | None:
        """Largest wall_time, in seconds since 1970."""
        return max((file.wall_times[1] for file in self.files if file.wall_times), default=None)

    @cached_property
    def steps(self) -> tuple[int, int] | None:
        """Smallest and largest step of all summaries but the by-products of landscapes."""
        spans = [file.steps for file in self.files if file.steps and not is_by_product(file)]
        return (min(first for first, _ in spans), max(last for _, last in spans)) if spans else None

    @cached_property
    def dialect(self) -> str:
        """Dialect of the first file."""
        return self.files[0].version.dialect

    @cached_property
    def damaged_records(self) -> int:
        """Number of damaged places in all files."""
        return sum(len(file.damage) for file in self.files)

    @cached_property
    def attempts(self) -> Mapping[int, list[Attempt]]:
        """Attempts of each rank."""
        return {rank: find_attempts(files) for rank, files in sorted(_ranks(self.files).items())}

    @cached_property
    def is_session(self) -> bool:
        """Say whether it holds a hyperparameter session; TensorBoard's writers put it below the run it belongs to."""
        return "hparams" in self.plugins

    @cached_property
    def plugins(self) -> Mapping[str, int]:
        """Number of tags of each plugin."""
        return Counter(tag.plugin for tag in {tag: None for file in self.files for tag in file.series})

    @cached_property
    def scalar_tags(self) -> list[str]:
        """Tags that have points in the stitched view of some rank, in the order they were first met."""
        tags = {tag.name: None for file in self.files for tag in file.series if tag.plugin == "scalar"}
        return [tag for tag in tags if self.ranks_of(tag)]

    def ranks_of(self, tag: str, attempt: int | str | None = None) -> list[int]:
        """Return the ranks that have points of a tag."""
        return [rank for rank in self.attempts if self.points(tag, rank, attempt).total]

    def points(self, tag: str, rank: int, attempt: int | str | None = None) -> Points:
        """Return a scalar series in file order; no points when the rank or the attempt has none.

        Args:
            tag: name of a scalar tag.
            rank: which writer.
            attempt: None for the stitched view, a number from 1 on for one attempt, ALL for every point.
        """
        key = (tag, rank, attempt)
        if key not in self._points:
            self._points[key] = self._read(Tag("scalar", tag), self.attempts.get(rank, []), attempt)
        return self._points[key]

    @staticmethod
    def _read(tag: Tag, attempts: list[Attempt], attempt: int | str | None) -> Points:
        if attempt is None:
            return stitch(attempts, lambda file: file.series.get(tag))
        chosen = attempts if attempt == ALL else attempts[int(attempt) - 1 : int(attempt)]
        files = [file for each in chosen for file in each.files]
        return concatenate([file.series.get(tag, NO_POINTS) for file in files])


def _ranks(files: list[FileView]) -> dict[int, list[FileView]]:
    """Sort files, ordered by when they began, by rank.

    TensorBoard's files name no rank: files that grew at the same time are writers of their own, numbered by file name.
    """
    ranks: dict[int, list[FileView]] = {}
    unranked: list[list[FileView]] = []
    for file in files:
        if file.rank is not None:
            ranks.setdefault(file.rank, []).append(file)
            continue
        free = next((lane for lane in unranked if not any(overlaps(other, file) for other in lane)), None)
        if free is None:
            unranked.append([file])
        else:
            free.append(file)
    for number, lane in enumerate(sorted(unranked, key=lambda lane: min(file.path for file in lane))):
        ranks.setdefault(number, []).extend(lane)
    return ranks

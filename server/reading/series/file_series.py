"""All series of one event file, by tag."""

from toposcope.server.reading.series.point_series import PointSeries
from toposcope.server.reading.series.series import Payloads, Points, Series
from toposcope.server.reading.tag_table import Tag, is_of_training


class FileSeries:
    """Series that grow while the file is read; what was published never changes."""

    def __init__(self, training_edition: int = 0) -> None:
        self.training_edition = training_edition
        """Another number after values of the training were added."""
        self.training_wall = 0.0
        """The largest last wall_time of the values of the training, in seconds since 1970."""
        self._series: dict[Tag, Series | PointSeries] = {}
        self._published: dict[Tag, Points | Payloads] = {}
        self._unpublished: dict[Tag, None] = {}

    def append(self, tag: Tag, points: Points | Payloads, growth: float = 1.0) -> None:
        """Add points at the end of a series.

        Args:
            tag: of the series.
            points: the new points.
            growth: by what factor the series is expected to grow soon.
        """
        self._unpublished[tag] = None
        series = self._series.get(tag)
        if series is None:
            self._series[tag] = PointSeries(points) if isinstance(points, Points) else Series(points)
        elif isinstance(series, PointSeries):
            assert isinstance(points, Points)
            series.append(points, growth)
        else:
            assert isinstance(points, Payloads)
            series.append(points, growth)
        if is_of_training(tag) and points.total:
            self.training_wall = max(self.training_wall, float(points.wall_time[-1]))
            self.training_edition += 1

    def points(self) -> dict[Tag, Points | Payloads]:
        """Return all series as they are now."""
        return {tag: series.points() for tag, series in self._series.items()}

    def publish(self, is_complete: bool) -> dict[Tag, Points | Payloads]:
        """Return all series as they are now, for other threads.

        Args:
            is_complete: no more points are expected for now, so that unused memory is freed.
        """
        for tag in self._unpublished:
            if is_complete:
                self._series[tag].trim()
            self._published[tag] = self._series[tag].points()
        self._unpublished.clear()
        return dict(self._published)

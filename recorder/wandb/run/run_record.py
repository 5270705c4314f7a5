"""RunRecord: what a run writes: its values, settings and results, the media beside them, and the file of its facts."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from toposcope.proto.summary_pb2 import RecordingEnd
from toposcope.recorder.ends.end_observer import EndObserver
from toposcope.recorder.ends.ending import FINISHED, ending_of
from toposcope.recorder.messages.lineage import custom_lineage, eval_lineage
from toposcope.recorder.record.logged_values import LoggedValues, logged_values
from toposcope.recorder.record.summary_record import SummaryRecord
from toposcope.recorder.secrets.secret_names import names_secret
from toposcope.recorder.wandb.media.drawn_values import DrawnValues
from toposcope.recorder.wandb.reports import guarded
from toposcope.recorder.wandb.run.plain_settings import plain_settings
from toposcope.recorder.wandb.run.run_directory import write_facts

SUMMARY_SECONDS = 30.0
"""Between two copies of the summary, in seconds."""


class ExitCodeError(Exception):
    """The script ended its run with finish(exit_code=...) and another code than 0."""


class RunRecord:
    """The files of a run in its directory; nothing is written if there is no recorder."""

    def __init__(
        self,
        directory: Path,
        recorder: SummaryRecord | None,
        facts: Callable[[], dict[str, Any]],
        *,
        replaced_from: int | None = None,
    ) -> None:
        """Create it.

        Args:
            directory: of the run.
            recorder: records its values.
            facts: returns what identifies the run and what it has so far.
            replaced_from: the step from which on the run replaces what was recorded earlier; None: nothing.
        """
        self._directory, self._facts = directory, facts
        self.recorder = recorder
        self.has_values = False
        """Whether a value was recorded, in an earlier process or this one."""
        self._drawn = DrawnValues(directory, replaced_from)
        self._observer = EndObserver()
        self._published_time, self._file_count = time.monotonic(), 0

    def write(self, values: LoggedValues, step: int) -> None:
        """Write the values of a step."""
        if self.recorder is None:
            return
        values = self._drawn.write(values, step)
        self.recorder.record_logged(values, step)
        if not self.has_values:
            self.has_values = True
            self.write_facts()

    def new_file(self, kind: str, suffix: str, step: int) -> Path:
        """Return the path of a file for media of a kind that does not exist yet."""
        directory = self._directory / "media" / kind
        directory.mkdir(parents=True, exist_ok=True)
        while True:
            path = directory / f"{step}_{self._file_count}{suffix}"
            self._file_count += 1
            if not path.exists():
                return path

    @guarded
    def write_settings(self, settings: Mapping[str, Any], prefix: str, step: int) -> None:
        """Write settings as custom lineage, without secrets; prefix precedes their names."""
        self.write_lineage(plain_settings(settings, prefix), step)
        self.write_facts()

    def write_lineage(self, settings: Mapping[str, Any], step: int) -> None:
        """Write custom lineage as it is."""
        if settings and self.recorder is not None:
            self.recorder.record_logged(logged_values({"custom_lineage_data": custom_lineage(settings)}), step)

    @property
    def is_summary_due(self) -> bool:
        """Whether the summary was not written for a while."""
        return time.monotonic() - self._published_time > SUMMARY_SECONDS

    def write_summary(self, summary: Mapping[str, Any], step: int, state: str = "running") -> None:
        """Write the numbers of the summary as metrics, and all of it into the file of facts."""
        self._published_time = time.monotonic()
        if self.recorder is None:
            return
        results = plain_settings({name: value for name, value in summary.items() if not name.startswith("_")})
        if numbers := {name: value for name, value in results.items() if not isinstance(value, str)}:
            self.recorder.record_logged(logged_values({"eval_lineage": eval_lineage(numbers)}), step)
        self.write_facts(state)

    def write_facts(self, state: str = "running") -> None:
        """Replace the file that identifies the run."""
        if self.recorder is not None:
            facts = self._facts()
            facts |= {"state": state, "has_values": self.has_values, "config": _without_secrets(facts["config"])}
            write_facts(self._directory, facts)

    @property
    def state_at_close(self) -> str:
        """The state of a run that is closed now: "failed" if an exception is handled."""
        return _state(self._observer.ending_at_close())

    @property
    def state_with_process(self) -> str:
        """The state of a run that ends with the process: "failed" if that ends because of an exception."""
        return _state(self._observer.ending_without_close())

    def close(self, error: BaseException | None) -> None:
        """Close the files; error: what ended the run, None: whether it failed is observed."""
        if self.recorder is None:
            return
        end: RecordingEnd | None = None if error is None else ending_of(error)
        self._drawn.close(end)
        if error is None:
            self.recorder.close()
        else:
            self.recorder.__exit__(type(error), error, error.__traceback__)

    def close_with_process(self) -> None:
        """Close the files of a run without finish(), at the end of the process; the exception that ends it is known."""
        if self.recorder is not None:
            self.recorder.close_dropped()


def _state(end: RecordingEnd) -> str:
    return "finished" if end == FINISHED else "failed"


def _without_secrets(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration without the settings that plain_settings() leaves out."""
    return {
        name: _without_secrets(value) if isinstance(value, Mapping) else value
        for name, value in config.items()
        if not names_secret(str(name))
    }

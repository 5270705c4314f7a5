"""EnvironmentThread: records the environment and the version of the code, beside the training thread."""

import threading
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from toposcope.recorder import log
from toposcope.recorder.record.summary_record import SummaryRecord

if TYPE_CHECKING:
    from toposcope.recorder.collecting.environment.git import Git

GIT_SECONDS = 10.0
"""The longest time that git may take, in seconds."""
END_SECONDS = 2.0
"""The longest time that the end of a training waits for git."""


class EnvironmentThread:
    """A thread that reads the environment, runs git, records what they return, and ends."""

    def __init__(
        self, recorder: SummaryRecord, with_environment: bool, with_code: bool, named_by_user: Collection[str]
    ) -> None:
        """Start the thread.

        Args:
            recorder: what it records with.
            with_environment: whether to record the environment: as Environment, and for MindInsight as custom lineage.
            with_code: whether to record the version of the code.
            named_by_user: names in the user's custom lineage, which has precedence.
        """
        self._recorder = recorder
        self._with_environment, self._with_code, self._named_by_user = with_environment, with_code, named_by_user
        self._git: Git | None = None
        self._thread = threading.Thread(target=self._run, name="toposcope-environment", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Wait until everything is recorded; end git if it does not answer within END_SECONDS."""
        self._thread.join(END_SECONDS)
        if self._git is not None and self._thread.is_alive():
            self._git.stop()
            self._thread.join(END_SECONDS)

    def _run(self) -> None:
        try:
            self._recorder.record_apart(0, {}, self._messages())
        except Exception as error:
            log.warn("The environment is not recorded: %s: %s", type(error).__name__, error)

    def _messages(self) -> dict[str, Any]:
        # Imported here: the training thread does not wait for it.
        from toposcope.recorder.collecting.environment.environment import (
            environment_facts,
            environment_message,
            repository_facts,
        )
        from toposcope.recorder.collecting.environment.git import Git
        from toposcope.recorder.collecting.environment.repository import (
            is_in_repository,
            repository_of,
            script_directory,
        )
        from toposcope.recorder.messages.lineage import custom_lineage

        messages: dict[str, Any] = {}
        facts = environment_facts() if self._with_environment else {}
        repository = None
        if is_in_repository(directory := script_directory()):
            self._git = Git(directory, GIT_SECONDS)
            repository = repository_of(self._git)
            if self._git.is_stopped:
                log.warn("The version of the code in %s is not complete: git took too long.", directory)
        if self._with_environment:
            facts |= repository_facts(repository)
            lineage = {f"environment/{name}": fact for name, fact in facts.items()}
            if shown := {name: fact for name, fact in lineage.items() if name not in self._named_by_user}:
                messages["custom_lineage_data"] = custom_lineage(shown)
            messages["environment"] = environment_message(facts)
        if self._with_code and repository is not None:
            messages["code"] = repository.message()
        return messages

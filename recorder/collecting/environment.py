"""The environment of a training: its command line, commit, package versions, host and rank."""

import os
import platform
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from importlib import metadata

from toposcope.recorder import log
from toposcope.recorder.collecting.gpus import gpus_of
from toposcope.recorder.rank import rank_of, world_size_of
from toposcope.recorder.secrets import command_line

Facts = dict[str, str | int | float]

_PACKAGES = (
    *("numpy", "torch", "mindspore", "jax", "tensorflow", "keras", "sklearn", "torchvision", "torchmetrics"),
    *("lightning", "transformers", "accelerate", "datasets", "composer", "deepspeed"),
)
_GIT_SECONDS = 2.0


def environment_facts(argv: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> Facts:
    """Return the facts about the environment that custom lineage records; unavailable facts are omitted.

    Args:
        argv: the command line; None: sys.argv.
        environ: the environment variables; None: os.environ.

    Returns:
        By name: "environment/argv" (secrets hidden, see command_line()); "environment/git_commit" and
        "environment/git_dirty" (whether tracked files differ from it) of the script's directory, or of the working
        directory if the script is part of an installed package; "environment/python"; "environment/version/<package>"
        of Toposcope and of the well-known packages that are imported; "environment/host", "environment/os",
        "environment/cpu_count" (CPUs that this process may use), "environment/gpus" ("2 x NVIDIA H200"),
        "environment/start_time" (ISO 8601 with UTC offset), "environment/world_size" and "environment/rank".

    Never raises. A call takes about ten milliseconds, most of it in git, whose processes are limited to two seconds.
    """
    arguments = sys.argv if argv is None else argv
    variables = os.environ if environ is None else environ
    sources: tuple[Callable[[], Facts], ...] = (
        lambda: {"argv": command_line(arguments)},
        lambda: _git_facts(_directory_of(arguments)),
        _version_facts,
        lambda: _host_facts(variables),
        lambda: _process_facts(variables),
    )
    facts: Facts = {}
    for source in sources:
        try:
            facts |= source()
        except Exception as error:
            log.warn("Part of the environment is not recorded: %s: %s", type(error).__name__, error)
    return {f"environment/{name}": fact for name, fact in facts.items()}


def _directory_of(argv: Sequence[str]) -> str:
    script = os.path.abspath(argv[0]) if argv else ""
    is_user_script = os.path.isfile(script) and "site-packages" not in script  # The script of a notebook is its kernel.
    return os.path.dirname(script) if is_user_script else os.getcwd()


def _git_facts(directory: str) -> Facts:
    deadline = time.monotonic() + _GIT_SECONDS
    facts: Facts = {}
    try:
        commit = _git(directory, deadline, "rev-parse", "--verify", "HEAD")
        if commit.returncode == 0:
            facts["git_commit"] = commit.stdout.decode().strip()
            status = _git(directory, deadline, "status", "--porcelain", "--untracked-files=no")
            if status.returncode == 0:
                facts["git_dirty"] = bool(status.stdout)
    except (OSError, subprocess.TimeoutExpired):  # git is not installed, or the repository is too large.
        pass
    return facts


def _git(directory: str, deadline: float, *command: str) -> subprocess.CompletedProcess[bytes]:
    """Run git without modifying the repository or its index."""
    return subprocess.run(
        ("git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-C", directory, *command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=max(0.0, deadline - time.monotonic()),
    )


def _version_facts() -> Facts:
    versions = {name: getattr(sys.modules[name], "__version__", None) for name in _PACKAGES if name in sys.modules}
    facts: Facts = {f"version/{name}": str(version) for name, version in versions.items() if version is not None}
    facts["python"] = platform.python_version()
    with suppress(metadata.PackageNotFoundError):  # Toposcope is imported from its source tree.
        facts["version/toposcope"] = metadata.version("toposcope")
    return facts


def _host_facts(environ: Mapping[str, str]) -> Facts:
    facts: Facts = {"host": platform.node(), "os": platform.platform(), "cpu_count": _cpu_count()}
    if names := Counter(gpu.name for gpu in gpus_of(environ)):
        facts["gpus"] = ", ".join(name if count == 1 else f"{count} x {name}" for name, count in names.items())
    return facts


def _process_facts(environ: Mapping[str, str]) -> Facts:
    start = datetime.now().astimezone().isoformat(timespec="seconds")
    return {"start_time": start, "world_size": world_size_of(environ), "rank": rank_of(environ)}


def _cpu_count() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

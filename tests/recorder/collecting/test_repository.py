"""The version of the code: commit, remote and diff."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from support.repositories import git, hang_git, program_in, repository_with

from toposcope.recorder.collecting.environment.git import Git
from toposcope.recorder.collecting.environment.repository import (
    MAX_DIFF_BYTES,
    Repository,
    is_in_repository,
    repository_of,
    script_directory,
)

SCRIPT = "print('training')\n"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Return a repository of one commit."""
    return repository_with(tmp_path / "repository", train=SCRIPT, model="class Model:\n    pass\n")


def read(directory: Path, seconds: float = 30) -> Repository:
    """Return the state of a repository."""
    repository = repository_of(Git(str(directory), seconds))
    assert repository is not None
    return repository


def test_commit_and_diff_of_tracked_files(directory: Path) -> None:
    """Staged changes are part of the diff, untracked files are not."""
    clean = read(directory)
    assert (clean.commit, clean.remote, clean.diff, clean.is_dirty) == (
        git(directory, "rev-parse", "HEAD"),
        "",
        b"",
        False,
    )

    (directory / "notes.txt").write_text("untracked")
    assert read(directory) == clean

    (directory / "train.py").write_text(SCRIPT * 2)
    (directory / "model.py").write_text("class Model: ...\n")
    git(directory, "add", "model.py")
    changed = read(directory)
    assert changed.is_dirty
    assert changed.diff.decode().strip() == git(directory, "diff", "HEAD")
    assert not changed.message().HasField("diff_bytes")


def test_diff_can_be_applied(directory: Path) -> None:
    """The diff contains all of the change, whatever the user has set for the display."""
    (directory / "train.py").write_text(SCRIPT + "print('ü')\n")
    for name, value in {"color.ui": "always", "diff.noprefix": "true", "diff.relative": "true"}.items():
        git(directory, "config", name, value)
    (directory / "below").mkdir()
    repository = read(directory / "below")
    git(directory, "checkout", "--quiet", "train.py")
    subprocess.run(("git", "apply", "-p0"), cwd=directory, input=repository.diff, check=True)

    assert (directory / "train.py").read_text() == SCRIPT + "print('ü')\n"


def test_touched_files_are_not_changed(directory: Path) -> None:
    """A file with another modification time but the same content is no difference; many do not hide a real one."""
    for number in range(3000):
        (directory / f"file_with_a_long_name_so_that_the_headers_fill_several_buffers_{number}.txt").write_text("x")
    git(directory, "add", ".")
    git(directory, "commit", "--quiet", "-m", "second")
    for path in directory.glob("*.*"):
        os.utime(path, (1e9, 1e9))
    assert (read(directory).diff, read(directory).is_dirty) == (b"", False)

    (directory / "train.py").write_text(SCRIPT * 2)
    repository = read(directory)
    assert repository.diff.count(b"diff --git") == 1
    assert repository.diff_bytes == len(repository.diff)


def test_the_repository_is_not_modified(directory: Path) -> None:
    """Not even its index, which git normally refreshes when a modification time has changed; no lock is taken."""
    os.utime(directory / "train.py", (1e9, 1e9))
    index = (directory / ".git" / "index").read_bytes()
    (directory / ".git" / "index.lock").touch()

    assert read(directory).is_dirty is False
    assert (directory / ".git" / "index").read_bytes() == index


def test_a_large_diff_is_cut_at_a_line(directory: Path) -> None:
    """Its size is known."""
    (directory / "train.py").write_text("".join(f"line {number}\n" for number in range(300_000)))
    repository = read(directory)

    assert MAX_DIFF_BYTES - 100 < len(repository.diff) <= MAX_DIFF_BYTES
    assert repository.diff.endswith(b"\n")
    assert repository.message().diff_bytes == repository.diff_bytes == len(git(directory, "diff", "HEAD")) + 1


def test_programs_in_the_settings_are_not_run(directory: Path) -> None:
    """External diffs, text conversions, file-system monitors, hooks and pagers of the repository."""
    marker = directory.parent / "marker"
    program = program_in(directory.parent, "program", f"touch {marker}\necho")
    settings = {
        **{"diff.external": program, "core.fsmonitor": program, "core.pager": program, "pager.diff": "true"},
        **{"diff.shown.textconv": program, "diff.shown.command": program, "core.hooksPath": directory.parent},
        **{"core.sshCommand": program, "credential.helper": program},
    }
    for name, value in settings.items():
        git(directory, "config", name, str(value))
    (directory / ".gitattributes").write_text("*.py diff=shown\n")
    (directory / "train.py").write_text(SCRIPT * 2)
    for variable in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_ASKPASS", "GIT_SSH"):
        os.environ[variable] = str(program)
    try:
        repository = read(directory)
    finally:
        for variable in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_ASKPASS", "GIT_SSH"):
            del os.environ[variable]

    assert b"+print" in repository.diff
    assert not marker.exists()


def test_secrets_are_hidden_in_diff_and_remote(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By name, and values of environment variables."""
    monkeypatch.setenv("DATABASE_PASSWORD", "correct horse battery")
    git(directory, "remote", "add", "upstream", "https://other.example/x.git")
    git(directory, "remote", "add", "origin", "https://me:S3CRETS3CRET@host.example/x.git")
    (directory / "train.py").write_text("API_KEY = 'S3CRETS3CRET'\nnote = 'correct horse battery'\n")
    repository = read(directory)

    assert repository.remote == "https://***@host.example/x.git"
    assert b"+API_KEY = '***'\n+note = '***'\n" in repository.diff


def test_a_secret_at_the_cut_is_not_recorded(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of it would not be recognised."""
    secret = "abcdefghijklmnop" * 8
    monkeypatch.setenv("MY_TOKEN", secret)
    (directory / "train.py").write_text(f"{secret}\n" * 20_000)

    assert secret[:16].encode() not in read(directory).diff


def test_without_a_commit_or_git_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git is not even run where there is no repository."""
    assert not is_in_repository(str(tmp_path))
    git(tmp_path, "init", "--quiet")
    assert is_in_repository(str(tmp_path))
    assert repository_of(Git(str(tmp_path), 30)) is None
    monkeypatch.setenv("PATH", "")
    assert repository_of(Git(str(tmp_path), 30)) is None


def test_a_hanging_git_is_ended_with_its_children(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the time limit."""
    hang_git(tmp_path / "bin", monkeypatch)
    start = time.monotonic()
    runner = Git(str(directory), 0.5)

    assert repository_of(runner) is None
    assert runner.is_stopped
    assert time.monotonic() - start < 30


def test_a_process_that_inherits_the_pipe_delays_nothing(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A data loader that is forked while git starts keeps the pipe open as long as it lives."""
    program_in(tmp_path / "bin", "git", 'case "$*" in *rev-parse*) echo abc;; esac\nsetsid sleep 60 &')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin:/usr/bin")
    runner = Git(str(directory), 30)
    repository = repository_of(runner)

    assert repository is not None
    assert (repository.commit, repository.is_dirty, runner.is_stopped) == ("abc", False, False)


def test_a_diff_that_takes_too_long_is_recorded_as_far_as_it_came(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit is known; whether the code differs is, too, as soon as git has printed something."""
    script = (
        'case "$*" in *rev-parse*) echo abc;; *--no-ext-diff*) echo "diff --git a/x b/x"; echo "+1"; sleep 60;; esac'
    )
    program_in(tmp_path / "bin", "git", script)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin:/usr/bin")
    repository = repository_of(Git(str(directory), 2))

    assert repository is not None
    assert (repository.commit, repository.is_dirty, repository.is_diff_cut) == ("abc", True, True)


def test_the_directory_is_that_of_the_script(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a script of the user, the working directory."""
    monkeypatch.chdir(directory.parent)

    assert script_directory([str(directory / "train.py")]) == str(directory)
    for argv in (["-c"], [""], []):
        assert script_directory(argv) == str(directory.parent)

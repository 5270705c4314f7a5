"""The version of the code: the commit of the git repository, its remote, and what differs from the commit."""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toposcope.proto.summary_pb2 import Code
from toposcope.recorder.collecting.environment.git import Git
from toposcope.recorder.secrets.hiding import hide_secrets

MAX_DIFF_BYTES = 1_000_000
_MAX_READ = MAX_DIFF_BYTES + 64_000  # More than the maximum, as hiding secrets may shorten the text.
_DIFF = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty", "HEAD")
# A file that was touched but not changed is a section without content, as diff.autoRefreshIndex is off.
_SECTION = b"diff --git "
_EMPTY_SECTION = re.compile(rb"^diff --git [^\n]*\n(?=diff --git |\Z)", re.MULTILINE)
_MAX_URL = 2000
_LONG_LINE = 1 << 16


class Repository(NamedTuple):
    """The state of a repository."""

    commit: str
    remote: str
    """URL of the remote "origin", or else of the first one; without user and password. Empty if there is none."""
    diff: bytes
    """The differences of tracked files from the commit, with secrets hidden, at most MAX_DIFF_BYTES."""
    diff_bytes: int
    """Size of the whole diff as git printed it."""
    is_diff_cut: bool
    """Whether diff is only the beginning of it."""
    is_diff_complete: bool
    """False if the time was over before git had written all of it: diff_bytes is what was written."""

    @property
    def is_dirty(self) -> bool | None:
        """Whether tracked files differ from the commit; None if that is not known."""
        return True if self.diff_bytes else False if self.is_diff_complete else None

    def message(self) -> Code:
        """Return the message in the event file."""
        code = Code(commit=self.commit, diff=self.diff)
        if self.remote:
            code.remote = self.remote
        if self.is_diff_cut:
            code.diff_bytes = self.diff_bytes
        return code


def script_directory(argv: Sequence[str] | None = None) -> str:
    """Return the directory of the script; the working directory if the script is part of an installed package."""
    arguments = sys.argv if argv is None else argv
    script = os.path.abspath(arguments[0]) if arguments else ""
    is_user_script = os.path.isfile(script) and "site-packages" not in script  # The script of a notebook is its kernel.
    return os.path.dirname(script) if is_user_script else os.getcwd()


def is_in_repository(directory: str) -> bool:
    """Return whether git would find a repository, without running it."""
    if "GIT_DIR" in os.environ:
        return True
    parent = os.path.realpath(directory)
    while not os.path.exists(os.path.join(parent, ".git")):
        if parent == (parent := os.path.dirname(parent)):
            return False
    return True


def repository_of(git: Git) -> Repository | None:
    """Return the state of the repository; None without a commit, or if git does not answer in time.

    Three processes are started. None of them writes, takes a lock, downloads, or runs a program of the user's settings
    other than the filters that `git diff` needs to compare files.
    """
    commit = git.run("rev-parse", "--verify", "HEAD")
    if commit is None or not commit.is_complete:
        return None
    urls = git.run("config", "--get-regexp", r"^remote\..*\.url$")
    diff = git.run(*_DIFF, read=_read_diff)
    remote = "" if urls is None else _remote(urls.content.decode("utf-8", "replace"))
    name = commit.content.decode("ascii", "replace").strip()
    if diff is None:
        return Repository(name, remote, b"", 0, is_diff_cut=True, is_diff_complete=False)
    content, is_complete = diff.content, diff.is_complete
    if is_cut := len(content) < diff.size or not is_complete:
        # The last line may contain a part of a secret, which is not recognised.
        content = content[: content.rfind(b"\n") + 1]
    shown = hide_secrets(content.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    if len(shown) > MAX_DIFF_BYTES:
        shown, is_cut = shown[: shown.rfind(b"\n", 0, MAX_DIFF_BYTES) + 1], True
    return Repository(name, remote, shown, diff.size, is_cut, is_complete)


def _read_diff(chunks: Iterator[bytes]) -> tuple[bytes, int]:
    """Return the beginning and the size of a diff, without the sections of files that are not changed."""
    kept, size, pending = bytearray(), 0, b""
    for chunk in chunks:
        if len(kept) > _MAX_READ:
            size += len(chunk)
            continue
        pending += chunk
        end = pending.rfind(b"\n") + 1 or (len(pending) if len(pending) > _LONG_LINE else 0)
        last_line = pending.rfind(b"\n", 0, max(0, end - 1)) + 1
        if pending.startswith(_SECTION, last_line):  # Its next line decides whether it has content.
            end = last_line
        kept += _EMPTY_SECTION.sub(b"", pending[:end])
        pending = pending[end:]
    kept += _EMPTY_SECTION.sub(b"", pending)
    return bytes(kept[:_MAX_READ]), size + len(kept)


def _remote(lines: str) -> str:
    urls = dict(line.partition(" ")[::2] for line in lines.splitlines())
    url = urls.get("remote.origin.url") or next(iter(urls.values()), "")
    return hide_secrets(url)[:_MAX_URL]

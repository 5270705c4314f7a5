"""Git repositories for tests."""

import subprocess
from pathlib import Path

import pytest

_SETTINGS = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=m")


def git(directory: Path, *command: str) -> str:
    """Run git with a test identity and return its output."""
    process = subprocess.run(
        ("git", *_SETTINGS, *command), cwd=directory, check=True, stdout=subprocess.PIPE, text=True
    )
    return process.stdout.strip()


def repository_with(directory: Path, **files: str) -> Path:
    """Create a repository with one commit of files, whose names are without ".py"; return its directory."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (directory / f"{name}.py").write_text(content)
    git(directory, "init", "--quiet")
    git(directory, "add", ".")
    git(directory, "commit", "--quiet", "-m", "first")
    return directory


def program_in(directory: Path, name: str, script: str) -> Path:
    """Write an executable shell script; return its path."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def hang_git(directory: Path, patch: pytest.MonkeyPatch) -> None:
    """Let PATH begin with a git that never answers; its child outlives it unless it is killed too."""
    program_in(directory, "git", "sleep 60")
    patch.setenv("PATH", f"{directory}:/bin:/usr/bin")

"""The compiled scan, built with AddressSanitizer and UndefinedBehaviorSanitizer, reads the corpus of the fuzzer.

`make fuzz` searches for further inputs.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from support.imports import ROOT

from toposcope.server.process.compiler import can_compile

JOINED_SCAN = ROOT / "build/scan/toposcope/server/reading/scan/compiled.c"


def sanitizers() -> list[str]:
    """Return the libraries of the sanitizers; skip the test if there are none."""
    if shutil.which("gcc") is None or not can_compile():
        pytest.skip("there is no gcc, or the headers of Python are missing")
    names = ("libasan.so", "libubsan.so")
    found = [subprocess.check_output(["gcc", f"-print-file-name={name}"], text=True).strip() for name in names]
    if not all(os.path.isabs(path) for path in found):
        pytest.skip("gcc has no sanitizers")
    return found


def build(folder: Path) -> None:
    """Put the packages into a folder, with a compiled scan that checks its memory accesses."""
    subprocess.run([sys.executable, "setup.py", "--version"], cwd=ROOT, check=True, capture_output=True)
    packages = folder / "toposcope"
    for package in ("proto", "server"):
        shutil.copytree(ROOT / package, packages / package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    shutil.copy(ROOT / "package/__init__.py", packages)
    target = packages / f"server/reading/scan/compiled{sysconfig.get_config_var('EXT_SUFFIX')}"
    options = ["-O0", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-shared", "-fPIC"]
    include = f"-I{sysconfig.get_path('include')}"
    subprocess.run(["gcc", *options, include, str(JOINED_SCAN), "-o", str(target)], check=True)


def test_corpus_is_read_without_a_report(tmp_path: Path) -> None:
    """No input of the corpus makes the compiled scan access memory that is not its own."""
    libraries = sanitizers()
    build(tmp_path)
    tests, corpus = ROOT / "tests", tmp_path / "corpus"
    variables = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(tests)]),
        "PYTHONMALLOC": "malloc",
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }
    subprocess.run([sys.executable, tests / "fuzz/make_corpus.py", corpus], env=variables, check=True)

    command = [sys.executable, str(tests / "fuzz/fuzz_scan.py"), "--random", "0", str(corpus)]
    read = subprocess.run(command, env=variables, capture_output=True, text=True)

    assert read.returncode == 0, read.stdout + read.stderr
    assert "no difference found" in read.stdout

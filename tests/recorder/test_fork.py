"""What a forked process inherits."""

import subprocess
import sys


def test_everything_alive_is_inert_in_the_child_and_only_there() -> None:
    """The child's copies are told at once, the parent's own are not, and what was dropped is forgotten."""
    script = """
import os
from toposcope.recorder.fork import make_inert_in_children

class Pipe:
    inert = False
    def become_inert(self):
        self.inert = True

kept, dropped = Pipe(), Pipe()
make_inert_in_children(kept)
make_inert_in_children(dropped)
del dropped
child = os.fork()
if child:
    os.waitpid(child, 0)
print("parent" if child else "child", kept.inert, flush=True)
"""
    printed = subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.PIPE, text=True).stdout

    assert printed.splitlines() == ["child True", "parent False"]


def test_locks_come_first_and_failures_stop_nothing() -> None:
    """What the others let go of may need the locks; one that fails does not leave the next one as it was."""
    script = """
import os
from toposcope.recorder.fork import make_inert_in_children

class Part:
    def __init__(self, name):
        self.name = name
    def become_inert(self):
        print(self.name, flush=True)
        if self.name == "failing":
            raise OSError

parts = [Part("failing"), Part("failing"), Part("lock")]
for part in parts:
    make_inert_in_children(part, is_lock=part.name == "lock")
if child := os.fork():
    os.waitpid(child, 0)
"""
    printed = subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.PIPE, text=True).stdout

    assert printed.split() == ["lock", "failing", "failing"]

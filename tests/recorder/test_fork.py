"""Objects that a forked process inherits."""

import subprocess
import sys


def test_inherited_objects_are_inert_in_the_child_only() -> None:
    """become_inert() is called in the child, but not in the parent, and not for deleted objects."""
    script = """
import os
from toposcope.recorder.ends.fork import make_inert_in_children

class Resource:
    inert = False
    def become_inert(self):
        self.inert = True

kept, dropped = Resource(), Resource()
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


def test_locks_come_first_and_failures_are_ignored() -> None:
    """Locks become inert before other objects, and an object that raises does not affect the next one."""
    script = """
import os
from toposcope.recorder.ends.fork import make_inert_in_children

class Resource:
    def __init__(self, name):
        self.name = name
    def become_inert(self):
        print(self.name, flush=True)
        if self.name == "failing":
            raise OSError

resources = [Resource("failing"), Resource("failing"), Resource("lock")]
for resource in resources:
    make_inert_in_children(resource, is_lock=resource.name == "lock")
if child := os.fork():
    os.waitpid(child, 0)
"""
    printed = subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.PIPE, text=True).stdout

    assert printed.split() == ["lock", "failing", "failing"]

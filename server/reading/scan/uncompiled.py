"""What the scan uses of the module `cython` while it runs uncompiled, so that only building it requires Cython."""

from contextlib import nullcontext
from types import SimpleNamespace

cython = SimpleNamespace(compiled=False, nogil=nullcontext())

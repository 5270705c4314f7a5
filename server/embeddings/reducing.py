"""Computes reductions in processes of their own: they take minutes, report their progress, and can be cancelled."""

import asyncio
import json
import os
import pickle
import sys
from collections.abc import AsyncGenerator
from contextlib import suppress

from toposcope.server.embeddings import contents
from toposcope.server.embeddings.contents import Located
from toposcope.server.embeddings.files.folder import UnreadableError
from toposcope.server.embeddings.projections.reduction import MissingLibraryError, Reduction

_NICENESS = 10
_one_at_a_time = asyncio.Semaphore(1)


class ReductionError(Exception):
    """A reduction cannot be computed."""


async def progress_of(located: Located, reduction: Reduction) -> AsyncGenerator[float, None]:
    """Compute a reduction and store it, unless it is stored; yield the share that is done, 0 to 1.

    One is computed at a time: while others wait, 0 is yielded. If the iteration ends early, so does the computation.

    Raises:
        ReductionError: it cannot be computed.
    """
    if await asyncio.to_thread(contents.reduction_of, located, reduction):
        yield 1.0
        return
    yield 0.0
    async with _one_at_a_time:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", __name__, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        if process.stdin is None or process.stdout is None:
            raise AssertionError("the process has no pipes")
        try:
            process.stdin.write(pickle.dumps((located, reduction)))
            process.stdin.close()
            async for line in process.stdout:
                report = json.loads(line)
                if problem := report.get("problem"):
                    raise ReductionError(problem)
                yield report["progress"]
            if code := await process.wait():
                raise ReductionError(f"the process that computed it ended with {code}")
        finally:
            with suppress(ProcessLookupError):
                process.kill()


def main() -> None:
    """Compute the reduction that standard input describes; write a line of JSON for each report."""
    os.nice(_NICENESS)
    located, reduction = pickle.load(sys.stdin.buffer)
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1) as reports:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Libraries print.

        def report(**facts: object) -> None:
            reports.write(json.dumps(facts) + "\n")

        try:
            contents.compute_reduction(located, reduction, lambda share: report(progress=share))
        except (MissingLibraryError, UnreadableError, ValueError, OSError, MemoryError) as error:
            report(problem=str(error) or type(error).__name__)


if __name__ == "__main__":
    main()

"""show(): the dashboard in the output of a notebook's cell."""

import os
from collections.abc import Sequence
from os import PathLike

from toposcope.server.notebook.frame import frame_html
from toposcope.server.notebook.notebook_server import notebook_server


def show(logdir: str | PathLike[str], *, height: int = 800, arguments: Sequence[str] = ()) -> None:
    """Show the dashboard of a logdir in the output of a notebook's cell.

    The kernel starts summary-server for the logdir, unless it has done so before; the server ends with the kernel.
    The browser reaches it directly if it is on the same machine, else through jupyter-server-proxy. The output of the
    cell contains the token that the server requires, which is valid as long as this server runs.

    Example:
        >>> import toposcope.server
        >>> toposcope.server.show("runs")

    Args:
        logdir: a directory of runs; it may be created later.
        height: of the frame, in CSS pixels: 100 to 10000.
        arguments: more arguments of summary-server, such as ["--read-only"], without those of addresses and tokens.

    Raises:
        ImportError: IPython is not installed, so this is no notebook.
        ValueError: an argument cannot be used here, or summary-server refuses it.
    """
    try:
        from IPython.display import HTML, display
    except ImportError:
        raise ImportError("show() needs a notebook: IPython is not installed; run summary-server instead") from None
    frame_html(0, "", height)  # A bad height is an error before a server is started.
    server = notebook_server(os.fspath(logdir), arguments)
    display(HTML(frame_html(server.port, server.token, height)))

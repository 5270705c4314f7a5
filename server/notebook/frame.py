"""The HTML of a frame that contains the dashboard."""

import json
import secrets

_LEAST_HEIGHT, _MAX_HEIGHT = 100, 10_000
# The notebook may be on another machine than the browser: then jupyter-server-proxy, if it is installed, is the way to
# the server. Whether it is can only be tried. Otherwise the frame's host must be that of the page: cookies are not sent
# to the frames of another site.
_SCRIPT = """
(async () => {
  const { id, port, query, height } = OPTIONS;
  const config = document.getElementById("jupyter-config-data");
  const base = config ? JSON.parse(config.textContent).baseUrl : document.body.dataset.baseUrl;
  const name = ["localhost", "127.0.0.1"].includes(location.hostname) ? location.hostname : "127.0.0.1";
  let url = `http://${name}:${port}/`;
  if (base) {
    const proxied = new URL(`${base.replace(/\\/?$/, "/")}proxy/${port}/`, location.href).href;
    const reply = await fetch(`${proxied}api/health${query}`).catch(() => null);
    if (reply?.ok && reply.headers.get("content-type")?.includes("json")) url = proxied;
  }
  const frame = document.createElement("iframe");
  frame.src = url + query;
  frame.title = "Toposcope";
  frame.style.cssText = `width: 100%; height: ${height}px; border: 0`;
  document.getElementById(id)?.replaceChildren(frame);
})();
"""


def frame_html(port: int, token: str, height: int) -> str:
    """Return the HTML of a frame that contains the dashboard of a server on the kernel's machine.

    Args:
        port: of the server.
        token: that the server requires. It is part of the HTML, and valid as long as that server runs.
        height: of the frame, in CSS pixels.

    Raises:
        ValueError: the height is not an integer from 100 to 10000.
    """
    if isinstance(height, bool) or not isinstance(height, int) or not _LEAST_HEIGHT <= height <= _MAX_HEIGHT:
        raise ValueError(f"height={height!r}: expected an integer from {_LEAST_HEIGHT} to {_MAX_HEIGHT}")
    element = f"toposcope-{secrets.token_hex(8)}"
    # Not "token", which is that of the notebook server on its way through the proxy.
    options = {"id": element, "port": port, "query": f"?toposcope_token={token}", "height": height}
    script = _SCRIPT.replace("OPTIONS", json.dumps(options))
    return f'<div id="{element}" style="min-height: {height}px"></div>\n<script>{script}</script>'

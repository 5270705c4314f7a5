"""The forms in which destinations receive alerts."""

import json
import socketserver
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from support.webhooks import Receiver

from toposcope.server.alerts.raised import RaisedAlert
from toposcope.server.alerts.sending.destinations import Destination, RefusedError

ALERT = RaisedAlert(
    id="0123456789abcdef",
    run="sweep/a <b>",
    rule="Diverged",
    rule_key="k",
    number=0,
    recorded=None,
    title="Diverged\r\nBcc: x@example.org",
    text="At step 7, loss is 2 <@everyone>.",
    level="error",
    step=7,
    wall_time=1700000000.5,
)


def destination(kind: str, **fields: Any) -> Destination:
    """Return a destination."""
    adapter: TypeAdapter[Destination] = TypeAdapter(Destination)
    return adapter.validate_python({"kind": kind, **fields})


def test_a_webhook_receives_json(receiver: Receiver) -> None:
    """With the headers of the file."""
    destination("webhook", url=receiver.url, headers={"Authorization": "Bearer x"}).send(ALERT)
    assert receiver.received == [
        {
            "id": "0123456789abcdef",
            "run": "sweep/a <b>",
            "rule": "Diverged",
            "title": ALERT.title,
            "text": ALERT.text,
            "level": "error",
            "step": 7,
            "wall_time": 1700000000.5,
        }
    ]
    assert receiver.headers[0]["Authorization"] == "Bearer x"


def test_slack_receives_no_mentions(receiver: Receiver) -> None:
    """What its markup would take as a mention or a link is escaped."""
    destination("slack", url=receiver.url).send(ALERT)
    (message,) = receiver.received
    assert message["text"].endswith("(sweep/a &lt;b&gt;)\nAt step 7, loss is 2 &lt;@everyone&gt;.")


def test_discord_receives_no_mentions(receiver: Receiver) -> None:
    """In a message that is not too long for it."""
    destination("discord", url=receiver.url).send(ALERT.model_copy(update={"text": "x" * 10_000, "run": "r" * 1000}))
    (message,) = receiver.received
    assert message["allowed_mentions"] == {"parse": []}
    assert len(message["content"]) <= 2000


def test_ntfy_receives_a_topic(receiver: Receiver) -> None:
    """Of the address, and a priority by the level."""
    destination("ntfy", url=f"{receiver.url}/trainings", token="secret").send(ALERT)
    (message,) = receiver.received
    assert (message["topic"], message["priority"], message["message"]) == ("trainings", 5, ALERT.text)
    assert receiver.headers[0]["Authorization"] == "Bearer secret"


@pytest.mark.parametrize(
    ("status", "error"), [(500, OSError), (503, OSError), (429, OSError), (404, RefusedError), (302, RefusedError)]
)
def test_failures(receiver: Receiver, status: int, error: type[Exception]) -> None:
    """What may succeed later is an OSError."""
    receiver.answers = [status]
    with pytest.raises(error, match=str(status)):
        destination("webhook", url=receiver.url).send(ALERT)


def test_nobody_listens() -> None:
    """The message does not contain the address, which may be a secret."""
    with pytest.raises(OSError, match="refused") as raised:
        destination("webhook", url="http://127.0.0.1:9/secret").send(ALERT)
    assert "secret" not in str(raised.value)


def test_a_command_reads_json(tmp_path: Path) -> None:
    """From its standard input; another exit status than 0 is a failure."""
    program = f"import sys; open({str(tmp_path / 'got')!r}, 'w').write(sys.stdin.read())"
    destination("command", command=[sys.executable, "-c", program]).send(ALERT)
    assert json.loads((tmp_path / "got").read_text())["title"] == ALERT.title
    with pytest.raises(OSError, match="status 3"):
        destination("command", command=[sys.executable, "-c", "raise SystemExit(3)"]).send(ALERT)
    with pytest.raises(OSError, match="No such file"):
        destination("command", command=["/none/such"]).send(ALERT)


@contextmanager
def mail_server(refuses: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Serve SMTP; yield the port and what it received."""
    messages: list[str] = []

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 ready\r\n")
            while line := self.rfile.readline():
                command = line[:4].upper()
                if command == b"DATA":
                    self.wfile.write(b"354 go on\r\n")
                    lines = iter(self.rfile.readline, b".\r\n")
                    messages.append(b"".join(lines).decode())
                answers = {b"MAIL": b"550 no\r\n" if refuses else b"250 yes\r\n", b"QUIT": b"221 bye\r\n"}
                self.wfile.write(answers.get(command, b"250 yes\r\n"))
                if command == b"QUIT":
                    return

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1], messages
        finally:
            server.shutdown()
            thread.join()


def test_an_e_mail_has_one_subject() -> None:
    """Whatever line breaks the title has."""
    with mail_server() as (port, messages):
        fields = {"host": "127.0.0.1", "port": port, "security": "none", "sender": "a@example.org"}
        destination("email", to=["b@example.org"], **fields).send(ALERT)
    (message,) = messages
    assert "Subject: Diverged Bcc: x@example.org (sweep/a <b>)" in message
    assert "\nBcc:" not in message
    assert ALERT.text in message


def test_a_refused_e_mail_is_a_failure() -> None:
    """Which may succeed later."""
    with mail_server(refuses=True) as (port, _):
        fields = {"host": "127.0.0.1", "port": port, "security": "none", "sender": "a@example.org"}
        email = destination("email", to=["b@example.org"], **fields)
        with pytest.raises(OSError, match="550"):
            email.send(ALERT)

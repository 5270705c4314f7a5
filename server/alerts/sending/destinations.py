"""Destinations of alerts: webhooks of any receiver, Slack, Discord and ntfy, commands and e-mail."""

import smtplib
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Mapping
from email.message import EmailMessage
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import orjson
from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from toposcope.server.alerts.raised import RaisedAlert
from toposcope.server.alerts.sending.secret import Secret
from toposcope.server.process.version import VERSION
from toposcope.server.values.alert import Level

_SECONDS, _COMMAND_SECONDS = 10.0, 60.0
"""How long a request, and a command, may take."""
_LONGEST_TEXT = 1500
"""Characters of a text; Discord takes 2000."""
_TEMPORARY = (408, 425, 429)
_PRIORITIES: Mapping[Level, int] = {"info": 3, "warn": 4, "error": 5}
"""The priorities of ntfy."""


class RefusedError(Exception):
    """A destination will not take an alert, however often it is sent."""


class _Destination(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _ByUrl(_Destination):
    url: Secret

    @field_validator("url")
    @classmethod
    def _checked(cls, url: SecretStr) -> SecretStr:
        parts = urlsplit(url.get_secret_value())
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("expected an address that begins with http:// or https://")
        return url


class Webhook(_ByUrl):
    """Receives an alert as JSON: id, run, rule, title, text, level, step and wall_time."""

    kind: Literal["webhook"]
    headers: dict[str, Secret] = {}

    def send(self, alert: RaisedAlert) -> None:
        """Send an alert; see Destination."""
        _post(self.url, json_of(alert), {name: value.get_secret_value() for name, value in self.headers.items()})


class Slack(_ByUrl):
    """An incoming webhook of Slack, or of Mattermost, which takes the same."""

    kind: Literal["slack"]

    def send(self, alert: RaisedAlert) -> None:
        """Send an alert; see Destination."""
        _post(self.url, {"text": f"*{_slack(alert.title)}* ({_slack(alert.run)})\n{_slack(_cut(alert.text))}"})


class Discord(_ByUrl):
    """A webhook of Discord."""

    kind: Literal["discord"]

    def send(self, alert: RaisedAlert) -> None:
        """Send an alert; see Destination."""
        content = f"**{alert.title}** ({alert.run[:200]})\n{_cut(alert.text)}"
        _post(self.url, {"content": content, "allowed_mentions": {"parse": []}})


class Ntfy(_ByUrl):
    """A topic of ntfy: its address, such as https://ntfy.sh/my-trainings."""

    kind: Literal["ntfy"]
    token: Secret | None = None

    @field_validator("url")
    @classmethod
    def _has_topic(cls, url: SecretStr) -> SecretStr:
        if not urlsplit(url.get_secret_value()).path.strip("/"):
            raise ValueError("expected the address of a topic, such as https://ntfy.sh/my-trainings")
        return url

    def send(self, alert: RaisedAlert) -> None:
        """Send an alert; see Destination."""
        server, _, topic = self.url.get_secret_value().rstrip("/").rpartition("/")
        message = {
            "topic": topic,
            "title": f"{alert.title} ({alert.run})",
            "message": _cut(alert.text),
            "priority": _PRIORITIES[alert.level],
        }
        headers = {} if self.token is None else {"Authorization": f"Bearer {self.token.get_secret_value()}"}
        _post(SecretStr(server), message, headers)


class Command(_Destination):
    """A command of this machine, which gets the same JSON as a webhook on its standard input."""

    kind: Literal["command"]
    command: Annotated[list[str], Field(min_length=1)]

    def send(self, alert: RaisedAlert) -> None:
        """Send an alert; see Destination."""
        try:
            subprocess.run(
                self.command, input=orjson.dumps(json_of(alert)), check=True, timeout=_COMMAND_SECONDS, stdout=2
            )
        except subprocess.CalledProcessError as error:
            raise OSError(f"the command ended with the status {error.returncode}") from None
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"the command took more than {_COMMAND_SECONDS:.0f} s") from None


class Email(_Destination):
    """An e-mail by SMTP."""

    kind: Literal["email"]
    host: str
    port: int = 587
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str | None = None
    password: Secret | None = None
    sender: str
    to: Annotated[list[str], Field(min_length=1)]

    def send(self, alert: RaisedAlert) -> None:
        """Send an alert; see Destination."""
        message = EmailMessage()
        message["Subject"] = _line(f"{alert.title} ({alert.run})")
        message["From"], message["To"] = self.sender, ", ".join(self.to)
        message["Message-ID"] = f"<{alert.id}@toposcope>"
        message.set_content(f"{alert.text}\n\nRun: {alert.run}\nRule: {alert.rule}\nLevel: {alert.level}\n")
        context = ssl.create_default_context()
        try:
            with self._connected(context) as server:
                if self.security == "starttls":
                    server.starttls(context=context)
                if self.user is not None:
                    server.login(self.user, self.password.get_secret_value() if self.password else "")
                server.send_message(message)
        except smtplib.SMTPException as error:
            raise OSError(f"{type(error).__name__}: {error}") from None

    def _connected(self, context: ssl.SSLContext) -> smtplib.SMTP:
        if self.security == "tls":
            return smtplib.SMTP_SSL(self.host, self.port, timeout=_SECONDS, context=context)
        return smtplib.SMTP(self.host, self.port, timeout=_SECONDS)


Destination = Annotated[Webhook | Slack | Discord | Ntfy | Command | Email, Field(discriminator="kind")]
"""Its method `send` sends an alert. It raises OSError if that may succeed later, RefusedError if it will not."""


def json_of(alert: RaisedAlert) -> dict[str, Any]:
    """Return an alert as webhooks and commands receive it."""
    return alert.model_dump(include={"id", "run", "rule", "title", "text", "level", "step", "wall_time"})


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirections: a POST would become a GET, and a secret might go to another host."""

    def redirect_request(self, *_: Any) -> None:
        """Return no other request."""


_opener = urllib.request.build_opener(_NoRedirects)


def _post(url: SecretStr, content: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
    request = urllib.request.Request(
        url.get_secret_value(),
        orjson.dumps(content),
        {"Content-Type": "application/json", "User-Agent": f"toposcope/{VERSION}", **(headers or {})},
        method="POST",
    )
    try:
        with _opener.open(request, timeout=_SECONDS):
            pass
    except urllib.error.HTTPError as error:
        with error:
            reason = f"HTTP status {error.code}"
        is_temporary = error.code >= 500 or error.code in _TEMPORARY
        raise (OSError(reason) if is_temporary else RefusedError(reason)) from None
    except (OSError, ValueError) as error:
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        raise OSError(str(cause) or type(cause).__name__) from None


def _line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}..."


def _slack(text: str) -> str:
    """Return a text in which nothing is a mention or a link of Slack's."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

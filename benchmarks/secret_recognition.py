"""How many secrets of the corpus of the tests are recognised, and how many harmless lines are taken for one.

    PYTHONPATH=tests python benchmarks/secret_recognition.py

detect-secrets is measured too where it is installed, on each text as a file of several kinds.
"""

import importlib.util
import tempfile
from collections.abc import Callable
from pathlib import Path

from support.secret_corpus import HARMLESS, SECRETS, fill

_KINDS = (".py", ".yaml", ".ini", ".js", ".txt")


def hidden_by_toposcope(text: str) -> str:
    """Return a text without the secrets that the recorder recognises."""
    from toposcope.recorder.secrets.hiding import hide_secrets

    return hide_secrets(text, {}, [])


def hidden_by_detect_secrets(text: str) -> str:
    """Return a text without the secrets that detect-secrets recognises."""
    from detect_secrets.core.scan import scan_file
    from detect_secrets.settings import default_settings

    found: set[str] = set()
    with tempfile.TemporaryDirectory() as folder, default_settings():
        for kind in _KINDS:
            path = Path(folder, f"text{kind}")
            path.write_text(text + "\n")
            found |= {secret.secret_value for secret in scan_file(str(path)) if secret.secret_value}
    for secret in sorted(found, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text


def measure(name: str, hidden: Callable[[str], str]) -> None:
    """Print recall and false alarms."""
    filled = [fill(form) for form in SECRETS]
    recalled = sum(not any(secret in hidden(text) for secret in secrets) for text, secrets in filled)
    false = sum(hidden(line) != line for line in HARMLESS)
    print(f"{name}: {recalled} of {len(filled)} forms, {false} of {len(HARMLESS)} harmless lines")


if __name__ == "__main__":
    if importlib.util.find_spec("toposcope"):
        measure("toposcope", hidden_by_toposcope)
    if importlib.util.find_spec("detect_secrets"):
        measure("detect-secrets", hidden_by_detect_secrets)

"""Secrets in command lines and texts are hidden."""

import shlex
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.secret_corpus import HARMLESS, SECRETS, fill

from toposcope.recorder.secrets.hiding import command_line, hide_secrets


@pytest.mark.parametrize(
    "argv",
    [
        ["--token", "S3CRET"],
        ["--hf_token=S3CRET"],
        ["-token", "S3CRET"],
        ["--HF_TOKEN", "S3CRET"],
        ["--wandbApiKey", "S3CRET"],
        ["--api_key=S3CRET"],
        ["--api-key", "S3CRET"],
        ["--apikey", "S3CRET"],
        ["--key", "S3CRET"],
        ["--enc_key", "S3CRET"],
        ["--aws-secret-access-key", "S3CRET"],
        ["--password", "-S3CRET"],
        ["--db.password2=S3CRET"],
        ["--password=a=b S3CRET"],
        ["--credentials", "S3CRET", "S3CRET", "--lr", "0.1"],
        ["logger.api_key=S3CRET"],
        ["+wandb.secret=S3CRET"],
        ["WANDB_API_KEY=S3CRET"],
        ["https://me:S3CRET@host/data"],
        ["--data=https://S3CRET@host/data"],
        ["postgresql+psycopg://me:S3CRET@host/data"],
        ["https://host/data?n=1&token=S3CRET&m=2"],
        ["https://host/data?X-Amz-Signature=S3CRET"],
        ["Server=a;Password=S3CRET;Timeout=3"],
        ['{"lr": 1, "api_key": "S3CRET, S3CRET", "n": 2}'],
        ["{'password': 'S3CRET'}"],
        ["--header", "Authorization: Bearer S3CRET"],
        ["--header=X-Api-Key: S3CRET"],
        ["Authorization: Basic S3CRET"],
        ["hf_S3CRETabcdefghijklmnop"],
        ["ghp_S3CRETabcdefghijklmnop"],
        ["--login", "sk-S3CRETabcdefghijklmnop"],
        ["eyJS3CRETabcdefghijklmnop.abc.def"],
    ],
)
def test_secrets_of_the_command_line_are_hidden(argv: list[str]) -> None:
    line = command_line(["train.py", *argv, "--epochs", "3"])

    assert "S3CRET" not in line
    assert "***" in line
    assert line.startswith("train.py ")
    assert line.endswith(" --epochs 3")


@pytest.mark.parametrize(
    "argv",
    [
        ["--tokenizer", "bert-base"],
        ["--max_tokens=512"],
        ["--token_dim", "64"],
        ["--num-tokens", "8"],
        ["--keypoints", "17"],
        ["--sort_key", "loss"],
        ["--author", "me"],
        ["--passes", "2"],
        ["--lr", "-0.1", "data/train.csv"],
        ["https://host/data?n=1"],
        ["s3://bucket/path"],
        ["model.hidden=[1,2]"],
        ["--task-name", "sk-learn"],
    ],
)
def test_other_arguments_are_shown_unchanged(argv: list[str]) -> None:
    assert shlex.split(command_line(["train.py", *argv])) == ["train.py", *argv]


def test_a_long_command_line_is_truncated() -> None:
    line = command_line(["train.py", *map(str, range(10_000))])

    assert len(line) == 4000
    assert line.endswith(" ...")


def test_a_command_line_of_megabytes_is_processed_quickly() -> None:
    start = time.monotonic()
    for text in ("a" * 10**6, "a-" * 10**6, "a://" * 10**6, "token=" * 10**6, " " * 10**6):
        assert len(command_line([text] * 3)) <= 4000

    assert time.monotonic() - start < 30


def test_values_of_environment_variables_with_secret_names_are_hidden_anywhere() -> None:
    environment = {"DB_PASSWORD": "correct horse", "MY_TOKEN": "short", "PWD": "/home/someone", "LOG": "verbose-mode"}
    text = "it is correct horse\nshort /home/someone verbose-mode"

    assert hide_secrets(text, environment) == "it is ***\nshort /home/someone verbose-mode"


@pytest.mark.parametrize(
    "text",
    [
        'api_key: Optional[str] = "S3CRET"',
        'password = b"S3CRET"',
        'os.environ["API_KEY"] = "S3CRET"',
        'if token == "S3CRET":',
        'token = os.environ.get("HF_TOKEN", "S3CRET")',
        'parser.add_argument("--api-key", type=str, default="S3CRET")',
        'environ.setdefault("API_KEY", "S3CRET")',
        "Namespace(token='S3CRET', lr=0.1)",
        "password: S3CRET",
        'password = """\nS3CRET\n"""',
        'API_KEY = (\n    "S3CRET"\n    "S3CRET"\n)',
        'API_KEY = "S3CRET" "S3CRET" + "S3CRET"',
        'secrets = {\n  "a": "S3CRET",\n}',
        "python train.py --token S3CRET --lr 1",
        "ENV API_TOKEN S3CRET",
        "<password>S3CRET</password>",
        'auth=("user", "S3CRET")',
        '#define API_KEY "S3CRET"',
        '{"lr":1,"token":"S3CRET"}',
        "MY_KEY=S3CRET",
        "password='S3CR\\'S3CRET'",
        "token: S3CRET=",
        'def connect(password: str, key: str = "S3CRET"):',
        "password=`S3CRET`",
        'password="S3CRET',
        "postgres://user:S3CRET@host/db",
        "Authorization: Bearer S3CRET",
        "-----BEGIN RSA PRIVATE KEY-----\nS3CRET\nS3CRET\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nS3CRET",
    ],
)
def test_secrets_in_texts_are_hidden(text: str) -> None:
    """In code, settings and output, also in the lines of a diff; nothing around them changes."""
    for prefix in ("", "+", "-"):
        lines = "".join(f"{prefix}{line}\n" for line in ["before = 1", *text.split("\n"), 'after = "shown"'])
        shown = hide_secrets(lines, {}, [])

        assert "S3CRET" not in shown
        assert "***" in shown
        assert shown.startswith(f"{prefix}before = 1\n")
        assert shown.count("\n") == lines.count("\n")
        if "PRIVATE KEY-----\nS3CRET" not in text or "END" in text:
            assert shown.endswith(f'{prefix}after = "shown"\n')


@pytest.mark.parametrize(
    "text",
    [
        "epoch 3: loss 0.25, tokens: 512, accuracy: 0.9",
        "for key, value in pairs:",
        "sorted(names, key=lambda name: name[0])",
        "token = next(tokens)",
        "def f(token: str, key: int, *, password: str | None) -> None:",
        "max_tokens = 512",
        "token=None, key=True, key: 5, key=0.25",
        "path = Path(directory) / 'data'",
        "git@github.com:someone/project.git",
        "see https://host/path, or write to someone@host",
        "signature = inspect.signature(f)",
    ],
)
def test_other_texts_are_shown_unchanged(text: str) -> None:
    """Programs are full of keys and tokens that are not secret."""
    assert hide_secrets(text, {}, []) == text


def test_secrets_of_the_command_line_are_hidden_in_texts() -> None:
    """Values of at least eight characters."""
    argv = ["train.py", "--password", "correct horse", "--api-key=battery staple", "--name", "shown value"]

    assert hide_secrets("correct horse, battery staple, shown value", {}, argv) == "***, ***, shown value"


def test_passwords_in_variables_are_hidden_in_texts() -> None:
    """Each line of a value, and passwords in URLs whatever the name of the variable."""
    environment = {"PRIVATE_KEY": "first line\nsecond line", "DATABASE": "postgres://me:correct-horse@host/db"}

    assert hide_secrets("second line\nfirst line\ncorrect-horse", environment, []) == "***\n***\n***"


PIECES = ["key", "token", "=", ":", " ", "\n", '"', "'", '"""', "(", ")", "[", "{", "\\", ",", "-", "--", "<", ">"]
PIECES += [
    "password",
    "str",
    "bearer ",
    "://",
    "@",
    "a",
    "None",
    "-----BEGIN PRIVATE KEY-----",
    "eyJ",
    "+",
    "ü",
    "İ",
    "\ud800",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_text_keeps_its_lines(text: str) -> None:
    """So that the lines of output keep their times, and a diff its line numbers."""
    shown = hide_secrets(text, {}, [])

    assert shown.count("\n") == text.count("\n")


@given(
    st.lists(st.sampled_from(PIECES), max_size=20).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=20).map("".join),
)
def test_known_values_are_hidden_in_any_text(before: str, after: str) -> None:
    """Known values are hidden at any position."""
    assert "S3CRET-VALUE" not in hide_secrets(f"{before}S3CRET-VALUE{after}", {"MY_TOKEN": "S3CRET-VALUE"}, [])


@settings(deadline=None, max_examples=30)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join))
def test_the_time_is_proportional_to_the_length(piece: str) -> None:
    """No repeated text takes quadratic time: 300,000 characters would take minutes."""
    text = piece * (300_000 // len(piece))
    start = time.process_time()
    hide_secrets(text, {}, [])

    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    "text",
    [
        "password:\n  S3CRET",
        "password: |\n  S3CRET\n  S3CRET",
        "api_key: >-\n  S3CRET",
        '"api_key":\n    "S3CRET"',
        "token =\n    S3CRET",
        "\x1b[32mpassword\x1b[0m: \x1b[1mS3CRET\x1b[0m",
        "\x1b[1mhf_token\x1b[0m=S3CRET",
        "| password | S3CRET |",
        "\u2502 api_key \u2502 S3CRET \u2502",
        "password\tS3CRET",
        "api_key        S3CRET",
        "machine api.wandb.ai\n  login user\n  password S3CRET",
        "machine api.wandb.ai login user password S3CRET",
        '<add key="Password" value="S3CRET" />',
        '<input name="api_key" value="S3CRET">',
        '{"name": "DB_PASSWORD", "value": "S3CRET"}',
        "- name: DB_PASSWORD\n  value: S3CRET",
        '<user name="a" password="S3CRET"/>',
        "Cookie: theme=dark; session=S3CRET",
        "Set-Cookie: id=S3CRET; Secure",
        "Authorization: Digest username=a, response=S3CRET",
        "curl -u user:S3CRET https://host",
        "curl --user 'user:S3CRET' https://host",
        "sshpass -p S3CRET ssh host",
        "docker login -u user -p S3CRET registry.example.org",
        "mysql -u root -pS3CRET db",
        "https://hooks.slack.com/services/T00000000/B00000000/S3CRETS3CRET",
        "https://discord.com/api/webhooks/123456789/S3CRETS3CRET",
        "https://api.telegram.org/bot123456:S3CRETS3CRET/sendMessage",
        "AGE-SECRET-KEY-1S3CRETS3CRETS3CRET",
    ],
)
def test_secrets_that_notations_mark_are_hidden(text: str) -> None:
    """In files of settings, tables, headers and commands; the lines around them stay."""
    for prefix in ("", "+"):
        lines = "".join(f"{prefix}{line}\n" for line in ["before = 1", *text.split("\n"), "after = 2"])
        shown = hide_secrets(lines, {}, [])

        assert "S3CRET" not in shown
        assert shown.startswith(f"{prefix}before = 1\n")
        assert shown.endswith(f"{prefix}after = 2\n")
        assert shown.count("\n") == lines.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "| token | count |\n|-------|-------|\n| the   | 512   |",
        "epoch  loss    tokens\n1      0.25    512",
        "keys:\n  - loss\n  - accuracy",
        "auth:\n  user: someone",
        "if token:\n    count += 1",
        "def f(\n    cookie: str,\n    authorization: str | None = None,\n) -> None:",
        '{"name": "learning_rate", "value": 0.1}',
        "curl -o file https://host/path",
        "python train.py -u user -p 8080",
        "key      | min | max",
        "login to the cluster -p is the port",
        "\x1b[32mloss\x1b[0m: 0.5",
    ],
)
def test_other_notations_are_shown_unchanged(text: str) -> None:
    """Tables of tokens and nested settings are not secret."""
    assert hide_secrets(text, {}, []) == text


def test_every_secret_of_the_corpus_is_hidden() -> None:
    """Forms of tokens, and secrets that names mark in programs, commands, settings and output; no part is shown."""
    shown = {form: (hide_secrets(fill(form).text, {}, []), fill(form).secrets) for form in SECRETS}

    assert [form for form, (text, secrets) in shown.items() if any(secret[:8] in text for secret in secrets)] == []
    assert len(SECRETS) > 200


def test_harmless_lines_of_the_corpus_are_shown_unchanged() -> None:
    """Lines of trainings about tokens, keys and passes; only what is a "secret" by its name alone is hidden."""
    changed = [line for line in HARMLESS if hide_secrets(line, {}, []) != line]

    assert changed == ["n_secret_dims = 4"]
    assert len(HARMLESS) > 300


@pytest.mark.parametrize(
    "text",
    [
        'os.environ.get("HF_TOKEN", "S3CRET")',
        'token = os.environ.get("HF_TOKEN", "S3CRET")',
        "Driver=x;UID=sa;PWD=S3CRET;",
        "password = hunter_secret",
        '"password": "letmein"',
        "token=abc_def123S3CRET",
    ],
)
def test_what_resembles_harmless_lines_is_hidden(text: str) -> None:
    """The default of a variable, the password of a database, a password of letters only."""
    shown = hide_secrets(text, {}, [])

    assert "***" in shown
    assert not any(secret in shown for secret in ("S3CRET", "hunter_secret", "letmein"))

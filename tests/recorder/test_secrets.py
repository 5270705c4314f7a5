"""Secrets in command lines and texts are hidden."""

import shlex
import time

import pytest

from toposcope.recorder.secrets import command_line, hide_secrets


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

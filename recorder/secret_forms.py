"""Forms of secrets that need no name: private keys, users and passwords in URLs, tokens of well-known services."""

import re
from collections.abc import Iterator

Range = tuple[int, int]
"""The first character and the one after the last."""

_USER = re.compile(r"""://(?P<user>[^/\s"'<>]+)@""")
_PASSWORD = re.compile(r"""://[^/\s"'<>:]*:(?P<password>[^/\s"'<>]+)@""")
_BEGIN_OF_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z0-9 ]{0,40}-----")
_END_OF_KEY = "-----END "
_MAX_KEY = 16_384  # Beyond it the words "BEGIN PRIVATE KEY" belong to a program rather than to a key.
# Prefixes of the tokens of Hugging Face, OpenAI, Stripe, GitHub, GitLab, Slack, AWS, Google, PyPI, npm, SendGrid,
# DigitalOcean, Docker, NVIDIA, Groq and Replicate, and of JSON Web Tokens.
_PREFIXES = (
    *("hf_", "sk-", "sk_live_", "rk_live_", "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-"),
    *("xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-", "AKIA", "ASIA", "AIza", "ya29.", "pypi-", "npm_", "SG."),
    *("dop_v1_", "dckr_pat_", "nvapi-", "gsk_", "r8_", "eyJ", "AGE-SECRET-KEY-", "hvs.", "xapp-", "glptt-", "lin_api_"),
    *("shpat_", "whsec_", "tskey-", "LTAI", "figd_", "key_live_", "sq0csp-", "EAAC", "rubygems_", "pplx-", "xai-"),
)
_URLS = {
    "hooks.slack.com": re.compile(r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[\w/]{8,200})"),
    "/api/webhooks/": re.compile(r"/api/webhooks/\d{1,30}/(?P<secret>[\w\-]{8,200})"),
    "/bot": re.compile(r"/bot(?P<secret>\d{3,20}:[\w\-]{8,100})"),
    ".webhook.office.com": re.compile(r"\.webhook\.office\.com/(?P<secret>[\w@\-/]{8,400})"),
    "sig=": re.compile(r"[?&]sig=(?P<secret>[\w%+/=\-]{8,400})"),
}
"""Addresses that contain a secret, by a part of each."""
_TOKEN = re.compile(r"[\w.\-]{16,}")


def secrets_by_form(text: str) -> Iterator[Range]:
    """Yield the ranges of text that are secret, in no order; they may overlap."""
    if "-----BEGIN " in text:
        yield from _private_keys(text)
    if "@" in text:
        yield from (match.span("user") for match in _USER.finditer(text))
    for part, form in _URLS.items():
        if part in text:
            yield from (match.span("secret") for match in form.finditer(text))
    for prefix in _PREFIXES:
        if prefix in text:
            yield from _tokens(text, prefix)


def passwords_in_urls(text: str) -> Iterator[str]:
    """Yield the passwords in the URLs in text."""
    return (match["password"] for match in _PASSWORD.finditer(text))


def _private_keys(text: str) -> Iterator[Range]:
    end = 0
    while begin := _BEGIN_OF_KEY.search(text, end):
        limit = min(begin.end() + _MAX_KEY, len(text))
        found = text.find(_END_OF_KEY, begin.end(), limit)
        end = limit if found < 0 else found
        yield begin.end(), end


def _tokens(text: str, prefix: str) -> Iterator[Range]:
    start = text.find(prefix)
    while start >= 0:
        end = start + len(prefix)
        is_in_word = start > 0 and text[start - 1].isalnum()
        if not is_in_word and (token := _TOKEN.match(text, end)):
            end = token.end()
            yield start, end
        start = text.find(prefix, end)

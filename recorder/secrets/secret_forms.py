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
# DigitalOcean, Docker, NVIDIA, Groq, Replicate, Shopify, Grafana, Sentry, Atlassian and others, and of JSON Web Tokens.
_PREFIXES = (
    *("hf_", "sk-", "sk_live_", "rk_live_", "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-"),
    *("xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-", "AKIA", "ASIA", "AIza", "ya29.", "pypi-", "npm_", "SG."),
    *("dop_v1_", "dckr_pat_", "nvapi-", "gsk_", "r8_", "eyJ", "AGE-SECRET-KEY-", "hvs.", "xapp-", "glptt-", "lin_api_"),
    *("shpat_", "whsec_", "tskey-", "LTAI", "figd_", "key_live_", "sq0csp-", "EAAC", "rubygems_", "pplx-", "xai-"),
    *("sk_test_", "rk_test_", "glrt-", "gldt-", "GOCSPX-", "doo_v1_", "dor_v1_", "hvb.", "hvr.", "shpss_", "shpca_"),
    *("shppa_", "sq0atp-", "glsa_", "glc_", "NRAK-", "PMAK-", "pscale_tkn_", "pscale_pw_", "pscale_oauth_", "ntn_"),
    *("dp.pt.", "dp.st.", "xkeysib-", "sntrys_", "sntryu_", "CFPAT-", "ATATT3", "ATBB", "HRKU-", "AKCp", "wandb_v1_"),
)
_FORMS = {
    "hooks.slack.com": r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[\w/]{8,200})",
    "/api/webhooks/": r"/api/webhooks/\d{1,30}/(?P<secret>[\w\-]{8,200})",
    "/bot": r"/bot(?P<secret>\d{3,20}:[\w\-]{8,100})",
    ".webhook.office.com": r"\.webhook\.office\.com/(?P<secret>[\w@\-/]{8,400})",
    "outlook.office.com/webhook/": r"outlook\.office\.com/webhook/(?P<secret>[\w@\-/]{8,400})",
    "/bot/v2/hook/": r"/bot/v2/hook/(?P<secret>[\w\-]{8,200})",
    "hooks.zapier.com": r"hooks\.zapier\.com/hooks/catch/(?P<secret>[\w/]{6,200})",
    "sig=": r"[?&]sig=(?P<secret>[\w%+/=\-]{8,400})",
    "dapi": r"(?P<secret>dapi[0-9a-f]{32})",
    "fw_": r"(?P<secret>fw_[A-Za-z0-9]{20,100})",
    ".atlasv1.": r"\b(?P<secret>\w{14}\.atlasv1\.[\w\-]{30,200})",
    "secret_": r"(?P<secret>secret_[A-Za-z0-9]{30,100})",
    "pat": r"(?P<secret>pat[A-Za-z0-9]{14}\.[0-9a-f]{64})",
    "key-": r"(?P<secret>key-[0-9a-f]{32})",
    "AQ.": r"(?P<secret>AQ\.[\w\-]{40,200})",
    ":AA": r"\b(?P<secret>\d{8,12}:AA[\w\-]{30,40})",
    ":5432:": r"(?m)^[\w.*\-]{1,200}:5432:[\w*\-]{1,100}:[\w*\-]{1,100}:(?P<secret>\S{1,200})",
    "Private-Lines:": r"Private-Lines: \d{1,3}\n(?P<secret>(?:[+\-]?[\w+/=]{1,100}\n){1,100})",
}
"""Addresses that contain a secret, and tokens of a form, by a part of each; compiled when a text has it."""
_TOKEN = re.compile(r"[\w.\-]{16,}")


def secrets_by_form(text: str) -> Iterator[Range]:
    """Yield the ranges of text that are secret, in no order; they may overlap."""
    if "-----BEGIN " in text:
        yield from _private_keys(text)
    if "@" in text:
        yield from (match.span("user") for match in _USER.finditer(text))
    for part, form in _FORMS.items():
        if part in text:
            yield from (match.span("secret") for match in re.finditer(form, text))
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

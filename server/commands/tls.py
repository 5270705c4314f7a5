"""The certificate of a server: --certfile and --keyfile, checked before the server listens."""

from typing import NamedTuple


class Certificate(NamedTuple):
    """Files in PEM format."""

    certfile: str
    """The certificate, followed by those of the authorities between it and a trusted one."""
    keyfile: str | None
    """The private key, not encrypted; None: it is in `certfile`."""


def choose_certificate(certfile: str | None, keyfile: str | None) -> Certificate | None:
    """Return the certificate that connections are encrypted with; None if they are not encrypted.

    Raises:
        ValueError: a key without a certificate, a key that is encrypted or of another certificate, or a file that is
            neither.
        OSError: a file cannot be read; the message contains the reason.
    """
    if certfile is None:
        if keyfile is not None:
            raise ValueError(f"--keyfile {keyfile!r} needs --certfile, the certificate that it belongs to")
        return None
    for flag, path in (("--certfile", certfile), ("--keyfile", keyfile or certfile)):
        try:
            with open(path, "rb"):
                pass
        except OSError as error:
            raise OSError(f"{flag} {path!r} cannot be read: {error.strerror}") from None
    _load(certfile, keyfile)
    return Certificate(certfile, keyfile)


def _load(certfile: str, keyfile: str | None) -> None:
    import ssl  # It takes long.

    is_encrypted = False

    def password() -> str:
        nonlocal is_encrypted
        is_encrypted = True
        return ""

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certfile, keyfile, password)
    except (ssl.SSLError, ValueError) as error:
        named = f"--certfile {certfile!r}" + (f" with --keyfile {keyfile!r}" if keyfile else "")
        if is_encrypted:
            raise ValueError(f"{named}: the key is encrypted; expected one without a passphrase") from None
        reason = getattr(error, "reason", None)
        if reason == "KEY_VALUES_MISMATCH":
            raise ValueError(f"{named}: the key is not that of the certificate") from None
        expected = "expected a certificate and its private key in PEM format"
        raise ValueError(f"{named} cannot be used: {expected}") from None

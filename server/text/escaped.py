"""Text for terminals and logs: names come from untrusted files, and could be commands of a terminal, or forge lines."""


def escaped(text: str) -> str:
    """Return text in which control characters, line breaks, direction marks and unpaired surrogates are escaped."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode("ascii") for each in text)

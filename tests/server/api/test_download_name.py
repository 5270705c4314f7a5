"""Downloads are named after their tag."""

import pytest

from toposcope.server.api.replies.download_name import attachment


@pytest.mark.parametrize(
    ("tags", "plain", "encoded"),
    [
        (["train/loss"], "train_loss.csv", "train_loss.csv"),
        (["a", "b"], "scalars.csv", "scalars.csv"),
        (["损失/训练"], "_____.csv", "%E6%8D%9F%E5%A4%B1_%E8%AE%AD%E7%BB%83.csv"),
        (['a"\r\nb; c'], "a_b_c.csv", "a_b_c.csv"),
        (["../.."], "_...csv", "_...csv"),
        ([".."], "scalars.csv", "scalars.csv"),
        (["x" * 300], "x" * 80 + ".csv", "x" * 80 + ".csv"),
    ],
)
def test_name(tags: list[str], plain: str, encoded: str) -> None:
    """One tag names the file, in ASCII and in UTF-8; what is not part of a name becomes an underscore."""
    assert attachment(tags, "scalars", "csv") == f"attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}"

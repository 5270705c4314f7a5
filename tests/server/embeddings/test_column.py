"""What points are coloured by."""

import numpy as np

from toposcope.server.embeddings.files.column import Categories, Numbers, as_column


def test_numbers_may_be_missing_and_need_not_be_finite() -> None:
    column = as_column(["1.5", "", "nan", "1e400"])

    assert isinstance(column, Numbers)
    np.testing.assert_array_equal(column.values, np.array([1.5, np.nan, np.nan, np.inf], np.float32))


def test_a_few_whole_numbers_are_classes_in_their_order() -> None:
    column = as_column(["10", "2", "", "10", "-1"])

    assert isinstance(column, Categories)
    assert (column.names, column.counts, column.codes.tolist()) == (["-1", "2", "10"], [1, 1, 2], [2, 1, -1, 2, 0])


def test_a_few_texts_are_in_natural_order() -> None:
    column = as_column(["layer 10", "layer 9", "7", "layer 9b"])

    assert isinstance(column, Categories)
    assert column.names == ["7", "layer 9", "layer 9b", "layer 10"]


def test_many_whole_numbers_are_numbers() -> None:
    assert isinstance(as_column([str(number) for number in range(25)]), Numbers)


def test_of_many_texts_the_most_frequent_ones_are_categories() -> None:
    texts = [f"word {number}" for number in range(3000)] + ["frequent"] * 2

    column = as_column(texts)

    assert isinstance(column, Categories)
    assert (column.names[0], column.counts[0], len(column.names), column.distinct) == ("frequent", 2, 1000, 3001)
    assert column.codes[[0, 2999, 3000]].tolist() == [1, -1, 0]


def test_empty_texts_have_no_category() -> None:
    column = as_column(["", ""])

    assert isinstance(column, Categories)
    assert (column.names, column.codes.tolist()) == ([], [-1, -1])

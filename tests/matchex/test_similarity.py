"""The similarity of texts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matchex._similarity import SimilarityTooLarge, at_least, similarity

texts = st.text(alphabet="abcé😀 \n\ud800", max_size=40)


def by_table(a, b):
    row = [0] * (len(b) + 1)
    for x in a:
        before, row = row, [0]
        for j, y in enumerate(b):
            row.append(before[j] + 1 if x == y else max(before[j + 1], row[j]))
    return 2 * row[-1] / (len(a) + len(b)) if a or b else 1.0


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        ("kitten", "sitting", 1 - 5 / 13),
        ("", "", 1.0),
        ("a", "", 0.0),
        ("abc", "xyz", 0.0),
        ("abcd", "abcd", 1.0),
        ("A", "a", 0.0),
        ("中文字", "中字", 0.8),
    ],
)
def test_known_values(a, b, wanted):
    assert similarity(a, b) == pytest.approx(wanted)


@given(texts, texts)
@settings(max_examples=300, deadline=None)
def test_it_is_the_indel_similarity(a, b):
    assert similarity(a, b) == pytest.approx(by_table(a, b))
    assert similarity(a, b) == similarity(b, a)


@given(texts, texts, st.floats(0, 1))
@settings(max_examples=300, deadline=None)
def test_at_least_agrees_with_the_value(a, b, minimum):
    assert at_least(a, b, minimum) == (similarity(a, b) >= minimum - 1e-9)


def test_a_character_may_occur_rarely_or_often():
    a, b = "ab" * 300 + "z" * 10, "ba" * 290 + "z" * 12
    assert similarity(a, b) == pytest.approx(by_table(a, b))


def test_texts_that_are_too_long_are_refused_with_their_lengths():
    a, b = "ab" * 1000, "ba" * 1000
    with pytest.raises(SimilarityTooLarge, match=r"1,999 and 1,999|2,000 and 2,000") as caught:
        similarity(a, b, limit=1_000_000)
    assert caught.value.limit == 1_000_000
    assert similarity(a, a + "c", limit=10) > 0.99  # equal beginnings and ends are taken off first


def test_cheap_bounds_settle_what_is_too_long_to_compare():
    assert not at_least("a" * 10**6, "b" * 10, 0.5, limit=10)
    assert not at_least("ab" * 10**4, "cd" * 10**4, 0.5, limit=10)
    assert at_least("ab" * 10**6, "ab" * 10**6, 1.0, limit=10)
    assert at_least("ab" * 10**4, "cd" * 10**4, 0.0, limit=10)
    with pytest.raises(SimilarityTooLarge):
        at_least("ab" * 1000, "ba" * 1000, 0.9, limit=10)

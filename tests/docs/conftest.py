"""Pages register operators of the same names as docstrings do: each page begins with none, and leaves none behind."""

from collections.abc import Iterator

import pytest
from matchex._operator import registered


@pytest.fixture(autouse=True)
def no_operators_of_others() -> Iterator[None]:
    before = dict(registered)
    registered.clear()
    yield
    registered.clear()
    registered.update(before)

"""matchex-wording: `$wordCount` and the strategy `majority`."""

from matchex_wording._majority import Majority
from matchex_wording._words import word_count

__all__ = ["Majority", "word_count"]

"""matchex: say what a good answer looks like, and check it.

    >>> import matchex
    >>> result = matchex.validate({"role": "assistant", "text": "Paris."}, {"role": "assistant", "text": "/paris/i"})
    >>> result.passed, result.score
    (True, 1.0)

`validate` matches a value against an expectation; `compile` prepares an expectation for many values; `Matches` is for
`assert`. `matchex.plugin` has what authors of operators and plugins need.
"""

from matchex._api import Matches, compile, validate, validate_async
from matchex._diff import Change, Diff
from matchex._errors import ExpectationError, MatchError, MatchexError, MatchingError, Problem
from matchex._matcher import Matcher
from matchex._operator import Operator, operator
from matchex._options import Options
from matchex._report import Detail, Failure, Issue, Note
from matchex._result import MatchResult
from matchex._values import MISSING, Literal
from matchex._weights import normalize_weights

from . import plugin

__all__ = [
    "MISSING",
    "Change",
    "Detail",
    "Diff",
    "ExpectationError",
    "Failure",
    "Issue",
    "Literal",
    "MatchError",
    "MatchResult",
    "Matcher",
    "Matches",
    "MatchexError",
    "MatchingError",
    "Note",
    "Operator",
    "Options",
    "Problem",
    "compile",
    "normalize_weights",
    "operator",
    "plugin",
    "validate",
    "validate_async",
]

__version__ = "0.1.0"

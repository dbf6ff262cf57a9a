"""draft."""

from matchex._expr._errors import (
    ExpressionError,
    ExpressionLimit,
    ExpressionSyntaxError,
    UndefinedField,
    UndefinedName,
)
from matchex._expr._expression import Expression, compile_expression
from matchex._expr._limits import ExpressionLimits

__all__ = [
    "Expression",
    "ExpressionError",
    "ExpressionLimit",
    "ExpressionLimits",
    "ExpressionSyntaxError",
    "UndefinedField",
    "UndefinedName",
    "compile_expression",
]

"""A compiled expression, and how one is made."""

from __future__ import annotations

from collections.abc import Mapping

from matchex._expr._compiler import compile_tree, needs_meter
from matchex._expr._errors import ExpressionError, ExpressionLimit, ExpressionSyntaxError
from matchex._expr._explain import explain_tree
from matchex._expr._limits import ExpressionLimits, Meter, Unmetered
from matchex._expr._parser import parse
from matchex._expr._tree import Node

__all__ = ["Expression", "compile_expression"]

_DEFAULT_LIMITS = ExpressionLimits()


class Expression:
    """An expression, parsed and compiled. It holds no state of evaluations, so threads may share it.

    Attributes:
        text: The expression as it was written.
        names: The names that it reads from the scope.
    """

    __slots__ = ("_compiled", "_limits", "_meter", "_tree", "names", "text")

    def __init__(self, text: str, tree: Node, limits: ExpressionLimits) -> None:
        self.text = text
        self._tree = tree
        self._limits = limits
        self._compiled, self.names = compile_tree(tree, text, limits, tracing=False)
        self._meter = None if needs_meter(tree) else Unmetered(limits)

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"

    def evaluate(self, scope: Mapping[str, object]) -> object:
        """The value of the expression. Nothing in the scope is changed.

        Args:
            scope: The values of the names; one that is `MISSING` counts as not defined.

        Raises:
            ExpressionError: Something undefined is used, a value is of the wrong kind, a bound is hit
                (`ExpressionLimit`), or a foreign mapping or object raises.

        Example:
            >>> from matchex._expr import compile_expression
            >>> compile_expression("actual.price > data.max").evaluate({"actual": {"price": 42}, "data": {"max": 40}})
            True
        """
        try:
            return self._compiled(scope, self._meter or Meter(self._limits))
        except ExpressionError:
            raise
        except Exception as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> ExpressionError:
        """A getter, a foreign mapping, an overflow: whatever was raised, it is no answer."""
        if isinstance(error, RecursionError):
            return ExpressionLimit("depth", self._limits.depth, "values are nested too deeply")
        return ExpressionError(_foreign_failure(error))

    def explain(self, scope: Mapping[str, object]) -> str:
        """The values of the parts that decided the value, on one line of bounded length; it never raises.

        Example:
            >>> from matchex._expr import compile_expression
            >>> print(compile_expression("actual.a * 2 >= 500").explain({"actual": {"a": 210}}))
            actual.a * 2 = 420; 420 >= 500 is false
        """
        meter = Meter(self._limits)
        meter.trace = {}
        failure = ""
        try:
            compiled, _ = compile_tree(self._tree, self.text, self._limits, tracing=True)
            compiled(scope, meter)
        except ExpressionError as error:
            failure = error.message
        except Exception as error:
            failure = self._failure(error).message
        explanation = explain_tree(self._tree, self.text, meter.trace)
        return "; ".join(part for part in (explanation, failure) if part)


def _foreign_failure(error: Exception) -> str:
    try:
        detail = str(error)[:200]
    except Exception:  # the message of a foreign exception may itself be broken
        detail = ""
    return f"{type(error).__name__}: {detail}" if detail else type(error).__name__


def compile_expression(text: str, *, limits: ExpressionLimits = _DEFAULT_LIMITS) -> Expression:
    """Parse and compile an expression in JavaScript's or Python's spelling, or any mixture.

    Args:
        text: The expression.
        limits: How much it may do.

    Raises:
        ExpressionSyntaxError: The text is no expression: with the column, a caret, and what to write instead.

    Example:
        >>> compile_expression("actual.includes('a') and len(actual) < 3").evaluate({"actual": ["a"]})
        True
    """
    tree = parse(text, limits)
    try:
        return Expression(text, tree, limits)
    except RecursionError:
        raise ExpressionSyntaxError("the expression is nested too deeply", text, 0) from None

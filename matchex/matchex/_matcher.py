"""The matcher: compile once, match many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from matchex._asking import settle
from matchex._compiler import Compiler, Mode, Scope
from matchex._context import Context
from matchex._errors import ExpectationError
from matchex._node import Keys, Node, match_tree
from matchex._options import Options, check_data
from matchex._outcome import CLEAN, FAIL, PASS, Outcome, Run
from matchex._registry import Registry
from matchex._result import MatchResult
from matchex._values import as_mapping

__all__ = ["Matcher"]

_MAX_ROUNDS = 1000
"""How often a match with asynchronous answers may run: once more for each layer of answers."""
_IDLE: Final = Run(None, {}, None, None)
"""The run of plain trees, which neither read nor change it."""
_IDLE_SHARED: Final = Run(None, {}, None, None)
_IDLE_SHARED.shared = True


class Matcher:
    """A compiled expectation. It can be used from several threads, for any number of values.

    Attributes:
        expected: The expectation as it was given.
        options: The options it was compiled with.
        is_self_contained: Whether no schema is in it, whose meaning files and the choice of a backend may change.

    Example:
        >>> import matchex
        >>> adult = matchex.compile({"age": {"$gte": 18}})
        >>> [adult.matches({"age": age}) for age in (17, 18)]
        [False, True]
    """

    def __init__(self, expected: object, options: Options, *, shared: bool = False) -> None:
        self._shared = shared
        self.expected = expected
        self.options = options
        self._registry = Registry(options)
        self._static: dict[tuple[Keys, Mode], Node] = {}
        compiler = self._compiler()
        node = _compiled(compiler, expected)
        if compiler.problems:
            raise ExpectationError(list(dict.fromkeys(compiler.problems)))
        self._node: Node | None = node
        self._check = node.check if node.plain and not compiler.late else None
        self._idle = _IDLE_SHARED if shared else _IDLE
        self.is_self_contained = not compiler.foreign
        if compiler.late:  # read again, keeping what can be used for every match
            self._node = None
            _compiled(self._compiler(static=self._static), expected)

    def match(
        self, actual: object, *, data: Mapping[str, Any] | None = None, input: object = None, fixture: object = None
    ) -> MatchResult:
        """Match a value.

        Args:
            actual: The value.
            data: Variables for placeholders and expressions; those of the options where not given.
            input: The input of the case; that of the options where not given.
            fixture: What expressions and operators see as `fixture`.
        """
        if data is not None:
            check_data(data)
        if self._check is not None:
            try:
                verdict = self._check(actual, self._idle)
            except Exception:
                verdict = None  # the long way tells what it was
            if verdict is not None:
                node, idle = cast("Node", self._node), self._idle
                return MatchResult(PASS, CLEAN, node, actual, idle) if verdict else _failed(node, actual, idle)
        run = self._run(actual, data, input, fixture)
        tree = self._tree(run)
        return _result_of(match_tree(tree, actual, run), tree, actual, run)

    async def match_async(
        self, actual: object, *, data: Mapping[str, Any] | None = None, input: object = None, fixture: object = None
    ) -> MatchResult:
        """Match a value with operators and functions that may be asynchronous.

        What they return is awaited together, then the match goes on with the answers; see `match` for the arguments.
        """
        if self._check is not None:  # a plain tree has nobody to wait for
            found = self.match(actual, data=data, input=input, fixture=fixture)
            if not found.passed:
                _ = found.failures  # others go on meanwhile, and may change the value before anybody asks
            return found
        if data is not None:
            check_data(data)
        run = self._run(actual, data, input, fixture)
        run.waits = True
        tree = self._tree(run)
        for _ in range(_MAX_ROUNDS):
            result = _result_of(match_tree(tree, actual, run), tree, actual, run)
            if not run.pending:
                return result
            await settle(run)
        raise RuntimeError(f"the answers of asynchronous functions led to more than {_MAX_ROUNDS} rounds of questions")

    def matches(self, actual: object) -> bool:
        """The verdict alone, as fast as can be.

        Raises:
            MatchError: The outcome is an error, neither a pass nor a failure.
        """
        if self._check is not None:
            try:
                verdict = self._check(actual, self._idle)
            except Exception:
                verdict = None
            if verdict is not None:
                return verdict
        return bool(self.match(actual))

    def _tree(self, run: Run) -> Node:
        """The tree of nodes, placeholders rendered from the variables of this match."""
        if self._node is not None:
            return self._node
        given = as_mapping(run.input) or {}
        variables = {**run.data, **given, "input": run.input}
        return _compiled(self._compiler(scope=Scope(variables), static=self._static), self.expected)

    def _compiler(self, *, scope: Scope | None = None, static: dict[tuple[Keys, Mode], Node] | None = None) -> Compiler:
        return Compiler(self.options, self._registry, self._context, scope=scope, static=static)

    def _context(self, node: Node, run: Run) -> Context:
        return Context(node, run, self.options, self._match_again, self._match_again_async)

    def _match_again(self, actual: object, expected: object, run: Run) -> MatchResult:
        """Match anything with the options and variables of a match that is going on."""
        matcher = Matcher(expected, self.options)
        return matcher.match(actual, data=run.data, input=run.input, fixture=run.fixture)

    async def _match_again_async(self, actual: object, expected: object, run: Run) -> MatchResult:
        matcher = Matcher(expected, self.options)
        return await matcher.match_async(actual, data=run.data, input=run.input, fixture=run.fixture)

    def _run(self, actual: object, data: Mapping[str, Any] | None, input: object, fixture: object) -> Run:
        options = self.options
        given = options.input if input is None else input
        chosen = fixture if fixture is not None else options.fixture
        run = Run(actual, options.data if data is None else data, given, given if chosen is None else chosen)
        run.shared = self._shared
        return run

    def __repr__(self) -> str:
        return f"Matcher({self.expected!r})"


def _compiled(compiler: Compiler, expected: object) -> Node:
    try:
        return compiler.compile(expected)
    except RecursionError:
        message = "the expectation is nested too deeply for the interpreter's stack (or holds itself)"
        return compiler.problem((), message)


def _result_of(outcome: Outcome, tree: Node, actual: object, run: Run) -> MatchResult:
    return MatchResult(outcome.status, outcome, tree, actual, run)


def _failed(tree: Node, actual: object, run: Run) -> MatchResult:
    """A failure whose reasons are looked for when somebody asks for them."""
    return MatchResult(FAIL, None, tree, actual, run)

"""What matchex finds when it looks for plugins."""

from __future__ import annotations

import functools

from matchex.plugin import hookimpl

from matchex_template._engine import TemplateEngine

__all__ = ["matchex_template_engine"]


@hookimpl
def matchex_template_engine() -> TemplateEngine:
    """The engine that serves every match without one of its own."""
    return _standard_engine()


@functools.cache
def _standard_engine() -> TemplateEngine:
    return TemplateEngine()

"""Everything beyond paths: expressions, filters, conditions and loops, by Jinja in a sandbox.

This package is imported only when a text needs it.
"""

from matchex_template._jinja._bodies import BlockBody, ExpressionSlot

__all__ = ["BlockBody", "ExpressionSlot"]

"""JSON Schema inside matchex expectations.

Installing the distribution is enough: matchex finds the plugin when an expectation first needs it. The names here are
for those who want more than that: an explicit schema object, and the choice of the validating library.
"""

from __future__ import annotations

from ._backends import backends, current_backend, use_backend
from ._schema import Schema

__all__ = ["Schema", "backends", "current_backend", "use_backend"]

"""Placeholders in the expectations of matchex: `{{ user.name }}`, `<< user.name >>`, `{{ items | length }}`.

Installing the package is enough; matchex finds it. What can be imported is for those who want other delimiters or
limits.
"""

from matchex_template._engine import TemplateEngine

__all__ = ["TemplateEngine"]

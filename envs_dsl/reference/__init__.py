"""The reference of the language, generated: a page for people, a compact text for prompts.

The builtin table, the fixed words, the caps and the codes are read from the checker itself; rules
and examples are data beside this module. A test fails when ``docs/language.md`` is stale.
"""

from envs_dsl.reference.compact import compact
from envs_dsl.reference.page import page
from envs_dsl.reference.rules import Rule, Section, rules

__all__ = ["Rule", "Section", "compact", "page", "rules"]

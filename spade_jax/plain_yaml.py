"""YAML that is no larger when read than as it was written."""

from __future__ import annotations

from typing import Any

import yaml

__all__ = ["read_yaml"]


class _Reader(yaml.SafeLoader):
    """Without aliases: nine lines of lists of aliases are a thousand million values."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(
                None,
                None,
                "an alias (*name) is not read, write out what it stands for",
                self.peek_event().start_mark,
            )
        return super().compose_node(parent, index)


def read_yaml(text: str) -> Any:
    """Plain values of a YAML document.

    Raises:
      yaml.YAMLError: it is none, holds other than plain values, or has an alias in it.
      ValueError, RecursionError: a date or number that there is not, too many brackets.
    """
    return yaml.load(text, Loader=_Reader)

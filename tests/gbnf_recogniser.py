"""Does a GBNF grammar generate a text? Earley's algorithm, character by character.

Written from the description of GBNF (llama.cpp), not from our printer: rules ``name ::= …`` on one
line, literals with escapes, character classes, groups, ``|``, ``?``, ``*``, ``+``, comments.
"""

from __future__ import annotations

import re

__all__ = ["Recogniser"]

Symbol = str | frozenset[str]
"""A rule's name, or the characters of a terminal."""

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "[": "[", "]": "]"}
_ANY = frozenset(map(chr, range(128)))


class Recogniser:
    """``Recogniser(grammar).accepts(text)``; starts at ``root``."""

    def __init__(self, grammar: str) -> None:
        self.rules: dict[str, list[tuple[Symbol, ...]]] = {}
        for line in grammar.splitlines():
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            name, sign, body = line.partition(" ::= ")
            assert sign and re.fullmatch(r"[a-z][a-z0-9-]*", name), line[:80]
            assert name not in self.rules, name
            rest = self._alternatives(name, body)
            assert not rest, f"{name}: {rest[:40]!r} is left over"
        used = {s for alts in self.rules.values() for alt in alts for s in alt if type(s) is str}
        assert used <= set(self.rules), used - set(self.rules)
        self.empty = self._nullable()

    # --- reading ---

    def _alternatives(self, name: str, text: str) -> str:
        """Read ``a | b …`` up to the end or a closing bracket, as rule ``name``; the rest."""
        found: list[tuple[Symbol, ...]] = []
        symbols: list[Symbol] = []
        while True:
            text = text.lstrip()
            if not text or text[0] in ")|":
                found.append(tuple(symbols))
                symbols = []
                if not text or text[0] == ")":
                    self.rules[name] = found
                    return text
                text = text[1:]
                continue
            taken, text = self._element(name, len(self.rules), text)
            if text[:1] in ("?", "*", "+") and text:
                taken = [self._repeated(name, taken, text[0])]
                text = text[1:]
            symbols += taken

    def _element(self, name: str, count: int, text: str) -> tuple[list[Symbol], str]:
        if text[0] == '"':
            chars: list[Symbol] = []
            i = 1
            while text[i] != '"':
                char, i = self._char(text, i)
                chars.append(frozenset(char))
            return chars, text[i + 1 :]
        if text[0] == "[":
            return self._class(text)
        if text[0] == "(":
            inner = f"{name}({count}"
            self.rules[inner] = []
            rest = self._alternatives(inner, text[1:])
            assert rest[:1] == ")", f"{name}: a bracket is not closed"
            return [inner], rest[1:]
        match = re.match(r"[a-z][a-z0-9-]*", text)
        assert match, f"{name}: {text[:40]!r}"
        return [match[0]], text[match.end() :]

    def _class(self, text: str) -> tuple[list[Symbol], str]:
        i, found = 1, set()
        negated = text[1] == "^"
        i += negated
        while text[i] != "]":
            low, i = self._char(text, i)
            high = low
            if text[i] == "-" and text[i + 1] != "]":
                high, i = self._char(text, i + 1)
            found |= {chr(c) for c in range(ord(low), ord(high) + 1)}
        return [frozenset(_ANY - found) if negated else frozenset(found)], text[i + 1 :]

    @staticmethod
    def _char(text: str, i: int) -> tuple[str, int]:
        if text[i] != "\\":
            return text[i], i + 1
        return _ESCAPES[text[i + 1]], i + 2

    def _repeated(self, name: str, symbols: list[Symbol], sign: str) -> str:
        new = f"{name}{sign}{len(self.rules)}"
        once: tuple[Symbol, ...] = tuple(symbols)
        again = (new, *once)
        self.rules[new] = {"?": [(), once], "*": [(), again], "+": [once, again]}[sign]
        return new

    def _nullable(self) -> set[str]:
        empty: set[str] = set()
        while True:
            more = {
                name
                for name, alts in self.rules.items()
                if any(all(type(s) is str and s in empty for s in alt) for alt in alts)
            }
            if more == empty:
                return empty
            empty = more

    # --- recognising ---

    def accepts(self, text: str) -> bool:
        """Whether ``root`` derives exactly this text."""
        # an item: (rule, alternative, how far, where it began)
        waiting: list[dict[str, list[tuple[str, tuple[Symbol, ...], int, int]]]] = []
        current = [("root", alt, 0, 0) for alt in self.rules["root"]]
        for place in range(len(text) + 1):
            table: dict[str, list[tuple[str, tuple[Symbol, ...], int, int]]] = {}
            waiting.append(table)
            seen, stack, following = set(current), list(current), []
            done: set[tuple[str, int]] = set()

            def add(item: tuple[str, tuple[Symbol, ...], int, int]) -> None:
                if item not in seen:  # noqa: B023
                    seen.add(item)  # noqa: B023
                    stack.append(item)  # noqa: B023

            while stack:
                item = stack.pop()
                rule, alt, dot, began = item
                if dot == len(alt):
                    if (rule, began) not in done:
                        done.add((rule, began))
                        for r, a, d, b in list(waiting[began].get(rule, ())):
                            add((r, a, d + 1, b))
                    continue
                symbol = alt[dot]
                if isinstance(symbol, frozenset):
                    if place < len(text) and text[place] in symbol:
                        following.append((rule, alt, dot + 1, began))
                    continue
                if symbol not in table:
                    table[symbol] = []
                    for other in self.rules[symbol]:
                        add((symbol, other, 0, place))
                table[symbol].append(item)
                if symbol in self.empty:
                    add((rule, alt, dot + 1, began))
            if place == len(text):
                return any((r, b) == ("root", 0) and d == len(a) for r, a, d, b in seen)
            if not following:
                return False
            current = following
        return False

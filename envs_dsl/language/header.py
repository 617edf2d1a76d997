"""The header of a program: ``game = Game(...)``."""

from __future__ import annotations

import ast
from typing import Literal, cast

from envs_dsl.language.builtins import nearest_name
from envs_dsl.language.constants import MAX_SIDE, MIN_SIDE
from envs_dsl.language.declarations import text_of
from envs_dsl.language.fields import FieldReader
from envs_dsl.language.types import Game
from envs_dsl.language.vocabulary import SKILLS, VERBS

__all__ = ["MAX_STEPS", "HeaderReader"]

MAX_STEPS = 4000


class HeaderReader(FieldReader):
    """Reads the header; faults are reported."""

    def game(self, call: ast.Call) -> None:
        """Read ``Game(...)``; what is faulty gets a value that causes no further findings."""
        names = ("size", "max_steps", "players", "turns", "verbs", "skills", "camera")
        given = self.options(call, names)
        if call.args:
            self.out.add("E309", call.args[0], "Game takes named options only", "write size=(9, 9)")
        size = self._pair(given.get("size"), call)
        steps = self.number(given.get("max_steps"))
        if not isinstance(steps, int) or isinstance(steps, bool) or not 1 <= steps <= MAX_STEPS:
            self.out.add(
                "E308",
                given.get("max_steps", call),
                f"max_steps must be a whole number from 1 to {MAX_STEPS}",
            )
            steps = 100
        players = self.number(given["players"]) if "players" in given else 1
        if not isinstance(players, int) or isinstance(players, bool) or not 1 <= players <= 4:
            self.out.add("E308", given["players"], "players must be 1, 2, 3 or 4")
            players = 1
        turns = text_of(given["turns"]) if "turns" in given else "simultaneous"
        if turns not in ("simultaneous", "alternate"):
            self.out.add("E204", given["turns"], 'turns must be "simultaneous" or "alternate"')
            near = nearest_name(str(turns), ("simultaneous", "alternate"))
            turns = near or "simultaneous"
        elif turns == "alternate" and players == 1:
            self.out.add(
                "E308", given["turns"], "turns alternate between two players or more", "players=2"
            )
        camera = text_of(given["camera"]) if "camera" in given else "player"
        if camera not in ("player", "board"):
            self.out.add("E204", given["camera"], 'camera must be "player" or "board"')
            camera = "player"
        verbs = self._words(given.get("verbs"), VERBS, "verb")
        for item in getattr(given.get("verbs"), "elts", []):
            self.found.verb_places[str(text_of(item))] = (item.lineno, item.col_offset + 1)
        skills = self._words(given.get("skills"), SKILLS, "skill")
        # an action has one index in every program: the order in which verbs are listed is not kept
        self.found.game = Game(
            size,
            steps,
            players,
            cast(Literal["simultaneous", "alternate"], turns),
            tuple(v for v in VERBS if v in verbs),
            tuple(k for k in SKILLS if k in skills),
            cast(Literal["player", "board"], camera),
        )

    def _pair(self, node: ast.expr | None, call: ast.Call) -> tuple[int, int]:
        if isinstance(node, ast.Tuple) and len(node.elts) == 2:
            rows, cols = (self.number(e) for e in node.elts)
            if all(
                isinstance(v, int) and not isinstance(v, bool) and MIN_SIDE <= v <= MAX_SIDE
                for v in (rows, cols)
            ):
                return cast(int, rows), cast(int, cols)
        what = f"size must be (rows, cols), each from {MIN_SIDE} to {MAX_SIDE}"
        sides = [self.number(e) for e in node.elts] if isinstance(node, ast.List) else []
        if len(sides) != 2 or None in sides:
            sides = [9, 9]
        self.out.add("E308", node or call, what, f"size=({sides[0]}, {sides[1]})")
        return 9, 9

    def _words(
        self, node: ast.expr | None, vocabulary: tuple[str, ...], what: str
    ) -> tuple[str, ...]:
        if node is None:
            return ()
        items = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
        if not isinstance(node, ast.List):
            meant = [f'"{w}"' for w in map(text_of, items) if w in vocabulary] or ["..."]
            hint = f"{what}s=[{', '.join(meant)}]"
            self.out.add("E308", node, f"a list of {what}s is needed", hint)
            return tuple(dict.fromkeys(w for w in map(text_of, items) if w in vocabulary))
        words: list[str] = []
        for item in items:
            word = text_of(item)
            if word not in vocabulary:
                near = nearest_name(str(word), vocabulary)
                self.out.add(
                    "E204",
                    item,
                    f"unknown {what} {word!r}",
                    f"did you mean {near!r}?" if near else f"{what}s: " + ", ".join(vocabulary),
                )
                # so that its uses are no faults
                words += [near] if near else []
                self.found.broken.add(f"act.{word}")
            else:
                words.append(word)
        return tuple(dict.fromkeys(words))

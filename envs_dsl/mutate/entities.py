"""Things that move about: chasers, roamers and guards to avoid, and prey to catch."""

from __future__ import annotations

import textwrap
from typing import NamedTuple

from envs_dsl.mutate.patch import Patch
from envs_dsl.mutate.scene import Scene

__all__ = ["hazard", "prey"]


class _Gait(NamedTuple):
    """How a row moves: extra column, extra spawn option, lines for one row ``g``, words for it."""

    column: str
    spawn: str
    lines: str
    words: str


def hazard(scene: Scene, *, deadly: bool = False) -> Patch:
    """A few creatures that must not be touched; ``deadly`` ones follow the player and kill."""
    rng, patch = scene.rng, Patch(skill="avoidance")
    name = scene.name("ghost", "wolf", "bee", "guard", "snake")
    gaits = ("chase", "pulse") if deadly else ("chase", "roam", "patrol", "pulse", "sight")
    gait = _gait(scene, patch, name, rng.choice(gaits))
    table = _table(scene, patch, name, gait, count=(1, 1, 3), harder="up", distance=3.0)
    row = scene.subject.fresh("g")
    touch, words = _touch(scene, patch, row, "lose" if deadly else "")
    patch.end += _loop(row, table, gait.lines, f"if {row}.pos == {scene.me}:\n{_in(touch)}")
    patch.sentence = f"A {name} {gait.words}; {words}."
    return patch


def prey(scene: Scene) -> Patch:
    """A few creatures that must be caught: their count is a goal."""
    rng, patch = scene.rng, Patch()
    name = scene.name("hare", "crab", "moth", "chick")
    gait = _gait(scene, patch, name, rng.choice(("flee", "roam", "patrol")))
    table = _table(scene, patch, name, gait, count=(2, 1, 3), harder="up", distance=1.5)
    row, caught = scene.subject.fresh("g"), scene.name("caught", "bagged")
    need = f"{caught.upper()}_NEED"
    patch.params.append(f'{need} = Param(1, 1, 3, harder="up")')
    patch.fields.append(f"{caught}: Int(0, 9) = 0")
    again = rng.random() < 0.5
    catch = f"{row}.pos = random_cell({scene.away(2.0)})" if again else f"kill({row})"
    catch += f"\ns.{caught} += 1\nreward(0.1)"
    patch.end += _loop(row, table, gait.lines, f"if {row}.pos == {scene.me}:\n{_in(catch)}")
    patch.goal = f"s.{caught} >= {need}"
    if not again:  # all of them must suffice
        patch.goal = f"({patch.goal} or not any(occupied({table})))"
    patch.sentence = f"Catch the {name} that {gait.words}."
    return patch


def _gait(scene: Scene, patch: Patch, name: str, kind: str) -> _Gait:
    """One way of moving, with its speed as a parameter."""
    rng, me, g = scene.rng, scene.me, scene.subject.fresh("g")
    speed = f"{name.upper()}_SPEED"
    walk = f"{g}.pos = try_move({g}.pos, {{}})"
    toward, anywhere = walk.format(f"toward({g}.pos, {me})"), walk.format("random_dir()")
    if kind == "sight" and not scene.board:
        kind = "chase"
    if kind == "patrol":
        turn = rng.choice((f"opposite({g}.way)", f"turn_left({g}.way)", "random_dir()"))
        ahead = scene.subject.fresh("ahead")
        lines = (
            f"{ahead} = try_move({g}.pos, {g}.way)\n"
            f"if {ahead} == {g}.pos:\n    {g}.way = {turn}\n{g}.pos = {ahead}"
        )
        return _Gait("way: Dir", ", way=random_dir()", lines, "walks its rounds")
    if kind == "pulse":
        patch.params.append(f'{speed} = Param(3, 1, 6, harder="down")')
        return _Gait("", "", f"if s.t % {speed} == 0:\n    {toward}", "follows you in steady steps")
    value, top = rng.choice(((0.2, 0.7), (0.3, 0.8), (0.5, 0.9)))
    patch.params.append(f'{speed} = Param({value}, 0.05, {top}, harder="up")')
    test = f"if chance({speed}):\n    "
    if kind == "chase":
        return _Gait("", "", test + toward, "follows you")
    if kind == "sight":
        seen = f"if sees({g}.pos, {me}, {scene.free}) and chance({speed}):\n    {toward}"
        return _Gait(
            "", "", f"{seen}\nelif chance(0.3):\n    {anywhere}", "rushes when it sees you"
        )
    if kind == "flee":
        flight = walk.format(f"away({g}.pos, {me})")
        near = f"if manhattan({g}.pos, {me}) <= {rng.randint(2, 4)} and chance({speed}):\n    "
        return _Gait("", "", near + flight, "runs from you")
    return _Gait("", "", test + anywhere, "roams about")


def _table(
    scene: Scene,
    patch: Patch,
    name: str,
    gait: _Gait,
    *,
    count: tuple[int, int, int],
    harder: str,
    distance: float,
) -> str:
    """Declare a table of such rows and fill it at reset; returns ``s.table``."""
    table, many = scene.name(f"{name}s"), f"{name.upper()}_COUNT"
    kind = scene.subject.fresh(name.capitalize())
    columns = "\n".join(f"    {c}" for c in ("pos: Pos", gait.column) if c)
    patch.rows.append(f"class {kind}(Row):\n{columns}\n")
    patch.fields.append(f"{table}: Table({kind}, {count[2]})")
    value, low, high = count
    patch.params.append(f'{many} = Param({value}, {low}, {high}, harder="{harder}")')
    k = scene.subject.fresh("k")
    patch.reset += (
        f"for {k} in range({high}):\n    if {k} < {many}:\n"
        f"        spawn(s.{table}, pos=random_cell({scene.away(distance)}){gait.spawn})\n"
    )
    return f"s.{table}"


def _touch(scene: Scene, patch: Patch, row: str, kind: str) -> tuple[str, str]:
    """What happens on contact (drawn where ``kind`` is ""), and the words for it."""
    kind = kind or scene.rng.choice(("lose", "lose", "life", "send", "pay"))
    again = f"{row}.pos = random_cell({scene.away(2.5)})"
    if kind == "send" and scene.walks:
        return f"{scene.place} = random_cell({scene.free})", "its touch carries you off"
    if kind == "pay":
        return f"reward(-0.1)\n{again}", "its touch costs you"
    if kind == "life":
        lives = scene.name("lives", "hearts")
        patch.fields.append(f"{lives}: Int(0, 5) = {scene.rng.randint(2, 3)}")
        lost = f"s.{lives} -= 1\n{again}\nif s.{lives} <= 0:\n    lose()"
        return lost, "you survive only a few touches"
    return "lose()", "its touch ends the game"


def _loop(row: str, table: str, *parts: str) -> str:
    return f"for {row} in {table}:\n" + "\n".join(_in(p) for p in parts) + "\n"


def _in(text: str) -> str:
    return textwrap.indent(text, "    ")

"""What speaks for each skill: facts from the program's flow, and from a few short roll-outs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

from envs_dsl.language import tree as T
from envs_dsl.language.types import Array, Field, Grid, Scalar, TableRef
from envs_dsl.skills.flow import Flow, Sources, Write, flow_of
from envs_dsl.skills.play import short_play

if TYPE_CHECKING:
    from envs_dsl.program import Program

__all__ = ["Evidence", "evidence_of"]


@dataclasses.dataclass(frozen=True)
class Evidence:
    """Facts about a program; each is named by what it found, empty for "nothing of the kind".

    From the flow:
      steered: Vec2 or Float fields that the action drives and that move something.
      hidden: hidden fields that decide how the game ends.
      stocks: numbers that are both gained and spent.
      dangers: what moves by itself and ends the game, or throws the player back, when met.
      pits: what ends the game when stepped on and does not move.
      pushed: grids, tables or places that the player shifts or changes ahead of itself.
      carried: fields that remember what was picked up, and on which a change of the world hangs.
      driven: tables whose rows the player moves and on which winning hangs.
      arrivals: what the player must reach to win; not in a contest, where such an end may be the
        loser's.
      pickups: what the player collects by walking over it, where winning hangs on it.
      slides: the player slides.
      bodies: seats have places of their own. obstacles: some look is solid.
    From play on the NumPy back end (32 levels, at most 96 steps):
      idle_change: share of levels in which something changes although nobody acts.
      idle_loss, random_loss, random_win: shares of episodes. env_steps: what that took.
    """

    steered: tuple[str, ...]
    hidden: tuple[str, ...]
    stocks: tuple[str, ...]
    dangers: tuple[str, ...]
    pits: tuple[str, ...]
    pushed: tuple[str, ...]
    carried: tuple[str, ...]
    driven: tuple[str, ...]
    arrivals: tuple[str, ...]
    pickups: tuple[str, ...]
    slides: bool
    bodies: bool
    obstacles: bool
    idle_change: float
    idle_loss: float
    random_loss: float
    random_win: float
    env_steps: int


def evidence_of(program: Program) -> Evidence:
    """All facts; it plays the program for a short while."""
    tree, flow = program.tree, flow_of(program.tree)
    idle, random = short_play(program)
    dangers, pits = _dangers(tree, flow)
    return Evidence(
        steered=_steered(tree, flow),
        hidden=_hidden(tree, flow),
        stocks=_stocks(tree, flow),
        dangers=dangers,
        pits=pits,
        pushed=_pushed(tree, flow),
        carried=_carried(tree, flow),
        driven=_driven(tree, flow),
        arrivals=_arrivals(tree, flow),
        pickups=_pickups(tree, flow),
        slides=any("slide" in w.value for w in flow.to(f"field:{flow.player}")),
        bodies=any(f.name == flow.player and f.players for f in tree.fields),
        obstacles=any("solid" in look.tags for enum in tree.enums for look in enum.looks),
        idle_change=idle.changed,
        idle_loss=idle.lost,
        random_loss=random.lost,
        random_win=random.won,
        env_steps=idle.env_steps + random.env_steps,
    )


def _acted(sources: Sources) -> bool:
    """The player's action has a direct say."""
    return any(s == "move" or s.startswith(("verb:", "ahead:")) for s in sources)


def _places(tree: T.Tree) -> Iterator[tuple[str, Field]]:
    """Every field and column by the name that the flow gives it."""
    for field in tree.fields:
        if isinstance(field.type, TableRef):
            for column in tree.row(field.type.row_type).columns:
                yield f"column:{field.name}.{column.name}", column
        else:
            yield f"field:{field.name}", field


def _kind(field: Field) -> str:
    match field.type:
        case Scalar(kind=kind) | Array(elem=Scalar(kind=kind)):
            return kind
        case Grid():
            return "Grid"
    return ""


def _steered(tree: T.Tree, flow: Flow) -> tuple[str, ...]:
    smooth = {name: _kind(f) for name, f in _places(tree) if _kind(f) in ("Vec2", "Float")}

    def moves(name: str) -> bool:
        return smooth[name] == "Vec2" or any(
            name in w.value for w in flow.writes if w.into in smooth and w.into != name
        )

    return tuple(n for n in smooth if moves(n) and any(_acted(w.sources) for w in flow.to(n)))


def _hidden(tree: T.Tree, flow: Flow) -> tuple[str, ...]:
    behind = flow.behind(flow.guard("win", "lose", "draw"))
    boards = {f"field:{f.name}" for f in tree.fields if isinstance(f.type, Grid) and not f.hidden}

    def shown(field: Field) -> bool:
        """A place that is painted on the board all the time: it only saves a slot of the hud."""
        return _kind(field) == "Pos" and any(
            w.into in boards and f"field:{field.name}" in w.index | w.value
            and "clock" not in w.guard
            for w in flow.writes
        )  # fmt: skip

    return tuple(
        f.name
        for f in tree.fields
        if f.hidden and {f"field:{f.name}", f"at:{f.name}"} & behind and not shown(f)
    )


def _stocks(tree: T.Tree, flow: Flow) -> tuple[str, ...]:
    found = []
    read = frozenset[str]().union(
        *(w.guard | w.value for w in flow.writes), *(e.guard for e in flow.ends)
    )
    steered = _steered(tree, flow)
    for name, field in _places(tree):
        if _kind(field) not in ("Int", "Float") or name in steered or name not in read:
            continue
        writes = flow.to(name)
        spent = [w for w in writes if w.change == "-"]
        gained = [w for w in writes if w.change in ("+", "?") and _earned(w)]
        filled = [w for w in writes if w.change == "" and _earned(w)]
        if spent and (gained or (filled and any(_earned(w) for w in spent))):
            found.append(name.partition(":")[2])
    return tuple(found)


def _earned(write: Write) -> bool:
    """It happens because of where the player is or what it does."""
    return _acted(write.guard) or any(s.startswith(("at:", "meet:", "reach:")) for s in write.guard)


def _dangers(tree: T.Tree, flow: Flow) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What moves by itself, and what does not, of the things that end the game by touch."""
    ends = ("lose", "win") if tree.contest else ("lose",)
    moving: list[str] = []
    still: list[str] = []
    me = f"field:{flow.player}"
    thrown = (w for w in flow.to(me) if not _acted(w.value | w.guard) and w.change == "")
    touch = {s for w in thrown for s in w.guard if s.startswith("meet:")}
    for word in sorted(_touched(tree, flow, *ends) | touch):
        kind, _, name = word.partition(":")
        if kind in ("at", "ahead") or word in _reachable(tree):
            writes = flow.to(f"field:{name}")
        elif kind == "meet":
            writes = tuple(w for w in flow.writes if w.into.startswith(f"column:{name}."))
        else:
            continue
        alone = [w for w in writes if not _acted(w.sources) and me not in w.index | w.guard]
        chasing = [w for w in writes if kind == "meet" and not _acted(w.sources)]
        (moving if alone or chasing else still).append(name)
    return tuple(dict.fromkeys(moving)), tuple(dict.fromkeys(still))


def _pushed(tree: T.Tree, flow: Flow) -> tuple[str, ...]:
    me, found = f"field:{flow.player}", []
    for write in flow.writes:
        name = write.into.partition(":")[2]
        if write.into == me:
            continue
        kind = {n: _kind(f) for n, f in _places(tree)}.get(write.into, "")
        ahead = any(s.startswith(("ahead:", "reach:", "meet:")) for s in write.guard)
        shifted = kind == "Pos" and "move" in write.value and me in write.sources
        changed = kind == "Grid" and "move" in write.index and ahead
        if (shifted and ahead) or changed:
            found.append(name)
    return tuple(dict.fromkeys(found))


def _carried(tree: T.Tree, flow: Flow) -> tuple[str, ...]:
    found = []
    world = {n for n, f in _places(tree) if _kind(f) == "Grid" or n.startswith("column:")}
    for name, field in _places(tree):
        if _kind(field) not in ("Bool", "Int", "Enum") or any(w.change for w in flow.to(name)):
            continue
        if field.range is not None and field.range.lo < 0:  # a speed, not a thing
            continue
        picked = any(
            any(s.startswith(("at:", "ahead:", "meet:", "reach:")) for s in w.guard | w.value)
            for w in flow.to(name)
        )
        used = any(name in w.guard | w.value and w.into in world for w in flow.writes)
        if picked and used:
            found.append(name.partition(":")[2])
    return tuple(found)


def _driven(tree: T.Tree, flow: Flow) -> tuple[str, ...]:
    won = flow.guard("win")
    me = f"field:{flow.player}"
    found = []
    for word in sorted(won):
        kind, _, name = word.partition(":")
        if kind == "table" and any(
            me in w.value | w.guard for w in flow.writes if w.into.startswith(f"column:{name}.")
        ):
            found.append(name)
    return tuple(found)


def _arrivals(tree: T.Tree, flow: Flow) -> tuple[str, ...]:
    boards = {
        f.name for f in tree.fields if isinstance(f.type, Grid) and f.type.elem.kind == "Enum"
    }
    targets = {f"{how}:{name}" for how in ("at", "ahead") for name in boards} | _reachable(tree)
    won = _touched(tree, flow, "win") if not tree.contest else frozenset()
    found = (word.partition(":")[2] for word in sorted(won & targets))
    return tuple(dict.fromkeys(found))


def _touched(tree: T.Tree, flow: Flow, *ops: str) -> Sources:
    """What the ends depend on that need no verb: being somewhere is enough."""
    guards = (end.guard for end in flow.ends if end.op in ops)
    return frozenset[str]().union(*(g for g in guards if not any(s.startswith("verb:") for s in g)))


def _reachable(tree: T.Tree) -> set[str]:
    """Fields that are places, as the flow names a comparison with them."""
    return {f"reach:{f.name}" for f in tree.fields if _kind(f) in ("Pos", "Vec2")}


def _pickups(tree: T.Tree, flow: Flow) -> tuple[str, ...]:
    """Counters and cells that change where the player stands, and that winning hangs on."""
    things = {n for n, f in _places(tree) if _kind(f) not in ("Pos", "Vec2")}
    me, found = f"field:{flow.player}", []
    for word in sorted(flow.guard("win") & things):
        for write in flow.to(word):
            touch = any(s.startswith(("at:", "reach:", "meet:")) for s in write.guard)
            verbs = any(s.startswith("verb:") for s in write.guard)
            if word != me and touch and not verbs:
                found.append(word.partition(":")[2])
    return tuple(dict.fromkeys(found))

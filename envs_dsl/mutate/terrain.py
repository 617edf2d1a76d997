"""Ground, controls and meters: mechanics that make the same goal a different task."""

from __future__ import annotations

from envs_dsl.mutate.patch import Patch, look_of
from envs_dsl.mutate.scene import Scene

__all__ = ["CONTROLS", "METERS", "TERRAIN"]


def _scatter(scene: Scene, member: str, share: str, clear: float) -> str:
    mask = f"chance_grid({share}) and {scene.free} and not disk({scene.me}, {clear})"
    return f"{scene.board} = where({mask}, {scene.tile}.{member}, {scene.board})\n"


def _on(scene: Scene, member: str) -> str:
    return f"{scene.board}[{scene.me}] == {scene.tile}.{member}"


# --- ground (needs an enum grid with a plain member) ----------------------------------------------


def lava(scene: Scene) -> Patch:
    """Cells that end the game, or throw the player back."""
    rng, patch = scene.rng, Patch(skill="avoidance")
    name = rng.choice(("LAVA", "THORN", "PIT"))
    member, line = look_of(scene.subject, name, rng, "red orange darkred purple", "hazard")
    share = f"{member}_SHARE"
    patch.members, patch.params = [line], [f'{share} = Param(0.08, 0.0, 0.25, harder="up")']
    patch.reset = _scatter(scene, member, share, 1.0)
    back = scene.walks and rng.random() < 0.4
    harm = f"{scene.place} = random_cell({scene.free})" if back else "lose()"
    patch.end = f"if {_on(scene, member)}:\n    {harm}\n"
    patch.sentence = f"Keep off the {member.lower()}."
    return patch


def spread(scene: Scene) -> Patch:
    """Something that spreads over the free cells."""
    rng, patch = scene.rng, Patch(skill="avoidance")
    name = rng.choice(("FIRE", "SLIME", "FLOOD"))
    member, line = look_of(scene.subject, name, rng, "red orange purple pink", "hazard")
    rate = f"{member}_RATE"
    patch.members, patch.params = [line], [f'{rate} = Param(0.03, 0.0, 0.2, harder="up")']
    patch.reset = f"{scene.board}[random_cell({scene.away(3.0)})] = {scene.tile}.{member}\n"
    edge = f"neighbors4({scene.board} == {scene.tile}.{member}) > 0"
    patch.end = (
        f"{scene.board} = where({edge} and {scene.free} and chance_grid({rate}), "
        f"{scene.tile}.{member}, {scene.board})\n"
        f"if {_on(scene, member)}:\n    lose()\n"
    )
    patch.sentence = f"The {member.lower()} spreads and must not reach you."
    return patch


def crumble(scene: Scene) -> Patch:
    """The cell you leave may break."""
    rng, patch = scene.rng, Patch(skill="puzzle")
    solid = rng.random() < 0.4
    tags = ("solid",) if solid else ("hazard",)
    member, line = look_of(scene.subject, "HOLE", rng, "darkgray brown darkred", *tags)
    odds, before = f"{member}_ODDS", scene.subject.fresh("left")
    patch.members, patch.params = [line], [f'{odds} = Param(0.4, 0.0, 1.0, harder="up")']
    patch.start = f"{before} = {scene.me}\n"
    patch.end = (
        f"if {scene.me} != {before} and {scene.board}[{before}] == {scene.tile}.{scene.floor} "
        f"and chance({odds}):\n    {scene.board}[{before}] = {scene.tile}.{member}\n"
    )
    if not solid:
        patch.end += f"if {_on(scene, member)}:\n    lose()\n"
    patch.sentence = "The ground may break behind you."
    return patch


def pillars(scene: Scene) -> Patch:
    """Walls strewn about; they may grow."""
    rng, patch = scene.rng, Patch(skill="navigation")
    member, line = look_of(scene.subject, "PILLAR", rng, "gray darkgray brown white", "solid")
    share = f"{member}_SHARE"
    patch.members, patch.params = [line], [f'{share} = Param(0.12, 0.0, 0.3, harder="up")']
    patch.reset = _scatter(scene, member, share, 1.0)
    patch.sentence = "Pillars stand in the way."
    return patch


def portal(scene: Scene) -> Patch | None:
    """Cells that carry the player to one another."""
    if not scene.walks:
        return None
    patch = Patch(skill="navigation")
    member, line = look_of(scene.subject, "PORTAL", scene.rng, "purple blue cyan", "marker")
    k = scene.subject.fresh("k")
    patch.members = [line]
    patch.reset = (
        f"for {k} in range({scene.rng.randint(2, 4)}):\n"
        f"    {scene.board}[random_cell({scene.away(1.0)})] = {scene.tile}.{member}\n"
    )
    others = f"{scene.board} == {scene.tile}.{member} and not at({scene.me})"
    patch.end = (
        f"if {_on(scene, member)} and act.move != STAY and any({others}):\n"
        f"    {scene.place} = random_cell({others})\n"
    )
    patch.sentence = "A portal carries you to another one."
    return patch


def gates(scene: Scene) -> Patch:
    """Cells that are walls for a while and open for a while."""
    rng, patch = scene.rng, Patch(skill="memory")
    shut, first = look_of(scene.subject, "GATE", rng, "brown blue gray", "solid", "door")
    patch.members = [first, f'{scene.subject.fresh("AJAR")} = Look("-", "yellow", door=True)']
    ajar = patch.members[1].split(" ")[0]
    share, every = f"{shut}_SHARE", f"{shut}_EVERY"
    patch.params = [
        f'{share} = Param(0.15, 0.0, 0.3, harder="up")',
        f'{every} = Param({rng.randint(2, 5)}, 1, 8, harder="up")',
    ]
    patch.reset = _scatter(scene, shut, share, 1.0)
    closed, opened = f"{scene.tile}.{shut}", f"{scene.tile}.{ajar}"
    patch.end = (
        f"if s.t % {every} == 0:\n"
        f"    {scene.board} = where({scene.board} == {closed}, {opened}, "
        f"where({scene.board} == {opened} and not at({scene.me}), {closed}, {scene.board}))\n"
    )
    patch.sentence = "The gates open and shut."
    return patch


def mud(scene: Scene) -> Patch:
    """Cells that hold the player back."""
    patch = Patch(skill="navigation")
    member, line = look_of(scene.subject, "MUD", scene.rng, "brown darkgreen darkgray", "marker")
    share, hold = f"{member}_SHARE", f"{member}_HOLD"
    patch.members = [line]
    patch.params = [
        f'{share} = Param(0.2, 0.0, 0.5, harder="up")',
        f'{hold} = Param(0.6, 0.0, 0.9, harder="up")',
    ]
    patch.reset = _scatter(scene, member, share, 0.5)
    patch.move = f"STAY if {_on(scene, member)} and chance({hold}) else act.move"
    patch.sentence = "Mud holds you back."
    return patch


def belt(scene: Scene) -> Patch | None:
    """Cells that move whoever stands on them."""
    if not scene.walks:
        return None
    rng, patch = scene.rng, Patch(skill="navigation")
    member, line = look_of(scene.subject, "BELT", rng, "blue cyan darkgray", "marker")
    share, way = f"{member}_SHARE", rng.choice(("UP", "DOWN", "LEFT", "RIGHT"))
    patch.members, patch.params = [line], [f'{share} = Param(0.15, 0.0, 0.4, harder="up")']
    patch.reset = _scatter(scene, member, share, 0.5)
    patch.end = f"if {_on(scene, member)}:\n    {scene.place} = try_move({scene.place}, {way})\n"
    patch.sentence = f"A belt carries you {way.lower()}."
    return patch


# --- controls ------------------------------------------------------------------------------------


def slip(scene: Scene) -> Patch:
    """Now and then the move goes elsewhere."""
    odds = scene.name("SLIP", "STAGGER")
    other = scene.rng.choice(("random_dir()", "turn_left(act.move)", "opposite(act.move)", "STAY"))
    return Patch(
        params=[f'{odds} = Param(0.2, 0.0, 0.6, harder="up")'],
        move=f"{other} if chance({odds}) else act.move",
        sentence="Your steps are unsure.",
    )


def dizzy(scene: Scene) -> Patch:
    """A visible state in which the controls are turned round."""
    state, odds = scene.name("dizzy", "upside"), scene.name("DIZZY_ODDS")
    turned = scene.rng.choice(("opposite(act.move)", "turn_left(act.move)", "turn_right(act.move)"))
    return Patch(
        fields=[f"{state}: Bool = False"],
        params=[f'{odds} = Param(0.1, 0.0, 0.4, harder="up")'],
        move=f"{turned} if s.{state} else act.move",
        end=f"if chance({odds}):\n    s.{state} = not s.{state}\n",
        sentence="While dizzy you walk the wrong way.",
    )


def drift(scene: Scene) -> Patch:
    """Once under way, one keeps going until another move is made."""
    way = scene.name("heading")
    return Patch(
        fields=[f"{way}: Dir = STAY"],
        start=f"if act.move != STAY:\n    s.{way} = act.move\n",
        move=f"s.{way}",
        sentence="You keep walking until you turn.",
    )


def wind(scene: Scene) -> Patch | None:
    """A steady push in a direction that is shown."""
    if not scene.walks:
        return None
    way, every = scene.name("wind", "current"), scene.name("WIND_EVERY")
    return Patch(
        fields=[f"{way}: Dir = STAY"],
        params=[f'{every} = Param({scene.rng.randint(2, 5)}, 1, 9, harder="down")'],
        reset=f"s.{way} = random_dir()\n",
        end=f"if s.t % {every} == 0:\n    {scene.place} = try_move({scene.place}, s.{way})\n",
        sentence="The wind pushes you.",
    )


def breath(scene: Scene) -> Patch:
    """Moving tires, resting restores."""
    meter, cost = scene.name("breath", "stamina"), scene.name("TIRE")
    return Patch(
        skill="resource",
        fields=[f"{meter}: Float(0.0, 6.0) = 6.0"],
        params=[f'{cost} = Param(1.0, 0.2, 2.0, harder="up")'],
        start=f"s.{meter} += 0.5\n",
        move=f"act.move if s.{meter} >= 1.0 else STAY",
        end=f"if act.move != STAY:\n    s.{meter} -= {cost}\n",
        sentence="Walking takes your breath: rest in time.",
    )


def lamp(scene: Scene) -> Patch:
    """A signal during which nobody may move."""
    red, flip = scene.name("red", "alarm"), scene.name("FLIP")
    harm = scene.rng.choice(("lose()", "reward(-0.05)"))
    return Patch(
        skill="avoidance",
        fields=[f"{red}: Bool = False"],
        params=[f'{flip} = Param(0.15, 0.02, 0.5, harder="up")'],
        start=f"if s.{red} and act.move != STAY:\n    {harm}\n",
        end=f"if chance({flip}):\n    s.{red} = not s.{red}\n",
        sentence="Do not move while the alarm is on.",
    )


# --- meters --------------------------------------------------------------------------------------


def hunger(scene: Scene) -> Patch | None:
    """A meter that runs out unless it is filled at certain cells."""
    if not scene.board:
        return None
    rng, patch = scene.rng, Patch(skill="resource")
    member, line = look_of(scene.subject, "FOOD", rng, "pink yellow orange", "resource")
    meter, rate = scene.name("food", "warmth", "air"), scene.name("HUNGER")
    k = scene.subject.fresh("k")
    patch.members = [line]
    patch.fields = [f"{meter}: Float(0.0, 20.0) = {rng.choice((10.0, 15.0, 20.0))}"]
    patch.params = [f'{rate} = Param(0.5, 0.1, 1.5, harder="up")']
    put = f"{scene.board}[random_cell({scene.away(1.0)})] = {scene.tile}.{member}"
    patch.reset = f"for {k} in range({rng.randint(2, 5)}):\n    {put}\n"
    patch.end = (
        f"if {_on(scene, member)}:\n    s.{meter} += {rng.choice((4.0, 6.0, 10.0))}\n"
        f"    {scene.board}[{scene.me}] = {scene.tile}.{scene.floor}\n    {put}\n"
        f"s.{meter} -= {rate}\nif s.{meter} <= 0.0:\n    lose()\n"
    )
    patch.sentence = f"Your {meter} runs out unless you eat."
    return patch


def budget(scene: Scene) -> Patch:
    """Only so many moves."""
    left = scene.name("moves", "fuel")
    top = max(12, scene.steps)
    value = max(8, int(scene.steps * scene.rng.choice((0.3, 0.5, 0.7))))
    return Patch(
        skill="puzzle",
        fields=[f"{left}: Int(0, {top}) = {value}"],
        start=f"if act.move != STAY:\n    s.{left} -= 1\n",
        end=f"if s.{left} <= 0:\n    lose()\n",
        sentence="You have only so many moves.",
    )


def deadline(scene: Scene) -> Patch | None:
    """A fuse that must be reached and reset in time."""
    fuse, spot = scene.name("fuse", "alarm"), scene.name("button")
    patch = Patch(skill="resource")
    rate = scene.name("FUSE_RATE")
    patch.fields = [f"{fuse}: Float(0.0, 30.0) = 30.0", f"{spot}: Pos"]
    patch.params = [f'{rate} = Param(0.7, 0.2, 2.0, harder="up")']
    patch.reset = f"s.{spot} = random_cell({scene.away(1.0)})\n"
    patch.end = (
        f"if {scene.me} == s.{spot}:\n    s.{fuse} = 30.0\n"
        f"s.{fuse} -= {rate}\nif s.{fuse} <= 0.0:\n    lose()\n"
    )
    patch.sentence = "Press the button before the fuse burns down."
    return patch


TERRAIN = (lava, spread, crumble, pillars, portal, gates, mud, belt)
CONTROLS = (slip, dizzy, drift, wind, breath, lamp)
METERS = (hunger, budget, deadline)

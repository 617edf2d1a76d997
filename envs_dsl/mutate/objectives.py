"""Goals: what must be done, in addition to or instead of what wins now."""

from __future__ import annotations

from envs_dsl.mutate.entities import hazard, prey
from envs_dsl.mutate.patch import Patch, look_of
from envs_dsl.mutate.scene import Scene

__all__ = ["OBJECTIVES"]


def collect(scene: Scene) -> Patch | None:
    """Things to pick up by walking over them, or with a verb; as tiles that may come back."""
    if not scene.board:
        return None
    rng, patch = scene.rng, Patch(skill="resource")
    thing = rng.choice(("coin", "shell", "berry", "gear"))
    member, line = look_of(scene.subject, thing.upper(), rng, "gold yellow cyan pink white", "item")
    patch.members.append(line)
    got, k = scene.name(f"{thing}s", "found"), scene.subject.fresh("k")
    need = f"{got.upper()}_NEED"
    patch.params.append(f'{need} = Param({rng.randint(1, 3)}, 1, 5, harder="up")')
    patch.fields.append(f"{got}: Int(0, 9) = 0")
    put = f"{scene.board}[random_cell({scene.away(1.0)})] = {scene.tile}.{member}"
    patch.reset = f"for {k} in range({rng.randint(3, 6)}):\n    {put}\n"
    verb = _verb(scene, ("take", "gather", "use")) if rng.random() < 0.4 else ""
    test = f"{scene.board}[{scene.me}] == {scene.tile}.{member}"
    if verb:
        patch.verbs.append(verb)
        test = f"act.{verb} and {test}"
    patch.end = (
        f"if {test}:\n    {scene.board}[{scene.me}] = {scene.tile}.{scene.floor}\n"
        f"    s.{got} += 1\n    reward(0.1)\n"
    )
    if rng.random() < 0.5:
        patch.end += f"    {put}\n"
    patch.goal = f"s.{got} >= {need}"
    patch.sentence = f"Collect {thing}s" + (f" with {verb}." if verb else ".")
    return patch


def deliver(scene: Scene) -> Patch:
    """Fetch a parcel and bring it to a place."""
    parcel, home, held = scene.name("parcel"), scene.name("home"), scene.name("loaded")
    patch = Patch(skill="manipulation")
    patch.fields = [f"{parcel}: Pos", f"{home}: Pos", f"{held}: Bool = False"]
    patch.reset = (
        f"s.{parcel} = random_cell({scene.away(1.5)})\n"
        f"s.{home} = random_cell({scene.free} and not disk(s.{parcel}, 2.0))\n"
    )
    patch.end = (
        f"if {scene.me} == s.{parcel} and not s.{held}:\n    s.{held} = True\n    reward(0.2)\n"
        f"if s.{held}:\n    s.{parcel} = {scene.me}\n"
    )
    patch.goal = f"s.{held} and {scene.me} == s.{home}"
    patch.sentence = "Fetch the parcel and bring it home."
    return patch


def stops(scene: Scene) -> Patch:
    """Places to visit in order; the next one is shown."""
    rng = scene.rng
    stop, stage = scene.name("stop", "flag", "beacon"), scene.name("stage")
    need = f"{stop.upper()}_NEED"
    patch = Patch(skill="navigation")
    patch.params = [f'{need} = Param({rng.randint(2, 3)}, 1, 5, harder="up")']
    patch.fields = [f"{stop}: Pos", f"{stage}: Int(0, 9) = 0"]
    patch.reset = f"s.{stop} = random_cell({scene.away(1.5)})\n"
    patch.end = (
        f"if {scene.me} == s.{stop}:\n    s.{stage} += 1\n    reward(0.1)\n"
        f"    s.{stop} = random_cell({scene.away(1.5)})\n"
    )
    patch.goal = f"s.{stage} >= {need}"
    patch.sentence = f"Visit the {stop} wherever it shows up next."
    if rng.random() < 0.4:
        speed = f"{stop.upper()}_DRIFT"
        patch.params.append(f'{speed} = Param(0.2, 0.0, 0.6, harder="up")')
        patch.end += f"if chance({speed}):\n    s.{stop} = try_move(s.{stop}, random_dir())\n"
        patch.sentence = f"Reach the {stop}, which drifts, again and again."
    return patch


def cover(scene: Scene) -> Patch | None:
    """Cells to walk over, each once."""
    if any(getattr(getattr(f.type, "elem", None), "kind", "") == "Bool" for f in _grids(scene)):
        return None
    rows, cols = scene.subject.tree.game.size
    seen = scene.name("trail", "painted")
    need, area = f"{seen.upper()}_NEED", rows * cols
    patch = Patch(skill="puzzle")
    low, high = max(3, area // 12), max(6, area // 2)
    value = scene.rng.randint(low, (2 * low + high) // 3)
    patch.params = [f'{need} = Param({value}, {low}, {high}, harder="up")']
    patch.fields = [f"{seen}: Grid(Bool) = False"]
    patch.end = f"if not s.{seen}[{scene.me}]:\n    s.{seen}[{scene.me}] = True\n    reward(0.02)\n"
    patch.goal = f"count(s.{seen}) >= {need}"
    patch.sentence = "Step on enough different cells."
    return patch


def stand(scene: Scene) -> Patch | None:
    """A spot on which to stay for a while."""
    if not scene.board:
        return None
    patch = Patch(skill="navigation")
    member, line = look_of(scene.subject, "PAD", scene.rng, "purple cyan green yellow", "goal")
    held = scene.name("held", "charge")
    need = f"{held.upper()}_NEED"
    patch.members = [line]
    patch.params = [f'{need} = Param({scene.rng.randint(2, 5)}, 1, 12, harder="up")']
    patch.fields = [f"{held}: Int(0, 20) = 0"]
    patch.reset = f"{scene.board}[random_cell({scene.away(1.5)})] = {scene.tile}.{member}\n"
    away = "0" if scene.rng.random() < 0.5 else f"s.{held}"
    here = f"{scene.board}[{scene.me}] == {scene.tile}.{member}"
    patch.end = f"s.{held} = s.{held} + 1 if {here} else {away}\n"
    patch.goal = f"s.{held} >= {need}"
    patch.sentence = "Stay on the pad" + (" without a break." if away == "0" else " long enough.")
    return patch


def push(scene: Scene) -> Patch | None:
    """A crate to push onto a plate."""
    if not scene.walks:
        return None
    crate, plate = scene.name("crate", "boulder"), scene.name("plate", "socket")
    near = f"{crate.upper()}_REACH"
    patch = Patch(skill="manipulation")
    patch.params = [f'{near} = Param(2.0, 1.0, 5.0, harder="up")']
    patch.fields = [f"{crate}: Pos", f"{plate}: Pos"]
    patch.reset = (
        f"s.{crate} = random_cell({scene.away(1.0)} and not BORDER)\n"
        f"s.{plate} = random_cell({scene.free} and disk(s.{crate}, {near}) and not at(s.{crate}))\n"
    )
    ahead = f"{scene.me} + act.move == s.{crate}"
    patch.start = f"if {ahead}:\n    s.{crate} = try_move(s.{crate}, act.move)\n"
    patch.move = f"STAY if {ahead} else act.move"
    patch.goal = f"s.{crate} == s.{plate}"
    patch.sentence = f"Push the {crate} onto the {plate}."
    return patch


def survive(scene: Scene) -> Patch:
    """Last until a moment, with something about that ends the game."""
    patch = hazard(scene, deadly=True)
    last = scene.name("LAST", "DAWN")
    steps = scene.steps
    low, high = max(2, steps // 6), max(4, int(steps * 0.9))
    value = scene.rng.randint(steps // 4 + 1, max(steps // 4 + 1, steps // 2))
    patch.params.append(f'{last} = Param({value}, {low}, {high}, harder="up")')
    patch.goal, patch.mode = f"s.t >= {last}", "instead"
    patch.sentence += " Hold out long enough."
    return patch


def reach(scene: Scene) -> Patch | None:
    """A way out, perhaps one that moves."""
    if not scene.board:
        return None
    patch = Patch(skill="navigation")
    member, line = look_of(scene.subject, "EXIT", scene.rng, "green cyan white", "goal")
    patch.members = [line]
    patch.reset = f"{scene.board}[random_cell({scene.away(2.0)})] = {scene.tile}.{member}\n"
    patch.goal = f"{scene.board}[{scene.me}] == {scene.tile}.{member}"
    patch.sentence = "Get to the exit."
    return patch


def key(scene: Scene) -> Patch:
    """Something to fetch before anything else counts."""
    thing, has = scene.name("key", "badge", "torch"), scene.name("ready")
    patch = Patch(skill="manipulation", fields=[f"{thing}: Pos", f"{has}: Bool = False"])
    patch.reset = f"s.{thing} = random_cell({scene.away(1.5)})\n"
    patch.end = (
        f"if {scene.me} == s.{thing} and not s.{has}:\n    s.{has} = True\n    reward(0.2)\n"
    )
    patch.goal = f"s.{has}"
    patch.sentence = f"First fetch the {thing}."
    return patch


def _grids(scene: Scene) -> list:
    return [f for f in scene.subject.tree.fields if not f.hidden]


def _verb(scene: Scene, choices: tuple[str, ...]) -> str:
    """A verb that the program does not have yet, "" where it has them all."""
    free = [v for v in choices if v not in scene.subject.tree.game.verbs]
    return scene.rng.choice(free) if free else ""


OBJECTIVES = (collect, deliver, stops, cover, stand, push, survive, reach, key, prey)

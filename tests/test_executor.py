"""The stages on real programs, in this process: what passes, what does not, and why."""

from __future__ import annotations

import dataclasses
import importlib
import json

import numpy as np
import pytest

from envs_dsl import Program, library
from envs_dsl.backends import numpy_backend
from envs_dsl.library import seeds
from envs_dsl.likeness import behaviour_distance, constant_change, constants, largest_change
from spade_jax.executor import Candidate, ExecutorConfig, Request, Sandbox, examine
from spade_jax.executor.stages import STAGES
from spade_jax.executor.stages.panel import GREEDY, KEEN, RANDOM, play_panel
from spade_jax.types import Reason, Stage, Verdict, to_json

CONFIG = ExecutorConfig(nice=0)

HEAD = '''"""Walk to the exit on the far right of the corridor before the time is up."""
game = Game(size=(3, 12), max_steps=40, verbs=["use"], skills=["navigation"])

class Tile(Enum):
    FLOOR = Look(".", "black")
    EXIT = Look("E", "green", goal=True)

class State:
    agent: Pos
    board: Grid(Tile) = Tile.FLOOR
    phase: Int(0, 9) = 0
'''

RESET = """
def reset(s):
    s.agent = Pos(1, randint(0, 3))
    s.board[Pos(1, 11)] = Tile.EXIT
"""

# RIGHT over and over must not do: the way is right, use, right, use …
STEP = """
def step(s, act):
    if s.phase == 0 and act.move == RIGHT:
        s.agent = s.agent + RIGHT
        s.phase = 1
        reward(0.02)
    elif s.phase == 1 and act.use:
        s.phase = 0
    elif act.move == LEFT:
        s.agent = Pos(1, 0)
    if s.board[s.agent] == Tile.EXIT:
        win()
"""

GOOD = HEAD + RESET + STEP


def judge(source: str, until: Stage = Stage.TRIVIALITY, **known) -> Verdict:
    return examine(Request(source, id="x", until=until, **known), CONFIG)


def reached(verdict: Verdict) -> list[Stage]:
    return [result.name for result in verdict.stages]


def detail(verdict: Verdict, stage: Stage) -> dict:
    return dict(next(r.detail for r in verdict.stages if r.name is stage))


# ---- what passes ----


def test_order_of_the_stages() -> None:
    assert [stage for stage, _ in STAGES] == list(Stage)


def test_a_good_program_passes_everything() -> None:
    verdict = judge(GOOD, Stage.PROBE)
    assert verdict.ok, verdict.error
    assert verdict.reason is Reason.OK and reached(verdict) == list(Stage)
    assert len(verdict.program_hash) == len(verdict.skeleton_hash) == 16
    assert len(verdict.behaviour_hash) == 16 and len(verdict.features) > 0
    assert verdict.stability == 1.0
    assert verdict.episodes == 256 and 0 <= verdict.successes < 128
    assert verdict.env_steps > 0
    assert detail(verdict, Stage.PROBE)["policy"] == "random"
    assert 0 < detail(verdict, Stage.TRACE)["equations"] <= CONFIG.max_jaxpr_eqns
    json.dumps(to_json(verdict), allow_nan=False)


def test_skills_are_verified_and_recorded_but_nothing_is_rejected_for_them() -> None:
    wrong = library.find("key_door").source.replace('"manipulation"', '"memory"')
    verdict = judge(wrong, Stage.BEHAVIOUR)
    assert verdict.ok
    skills = detail(verdict, Stage.BEHAVIOUR)["skills"]
    assert skills["declared"] == ["navigation", "memory"]
    assert list(skills["verified"]) == ["navigation", "manipulation", "avoidance"]


def test_the_certificate_has_a_witness() -> None:
    found = detail(judge(GOOD, Stage.CERTIFICATE), Stage.CERTIFICATE)
    assert found["answer"] == "solvable" and found["solvable"] == found["levels"] == 1
    actions = found["witness"]["actions"]
    assert set(actions) == {4, 5} and len(actions) == found["lengths"][0][0]  # RIGHT and use


def test_a_program_that_nobody_can_win_is_rejected() -> None:
    walled = GOOD.replace("s.agent = s.agent + RIGHT", "s.agent.col = min(s.agent.col + 1, 10)")
    verdict = judge(walled, Stage.CERTIFICATE)
    assert verdict.reason is Reason.UNSOLVABLE and reached(verdict)[-1] is Stage.CERTIFICATE
    assert "any number of steps" in verdict.error
    short = judge(GOOD.replace("max_steps=40", "max_steps=14"), Stage.CERTIFICATE)
    assert short.reason is Reason.UNSOLVABLE and "within 14 steps" in short.error
    assert detail(short, Stage.CERTIFICATE)["answer"] == "unknown"


@pytest.mark.parametrize("program", seeds(), ids=lambda p: p.name)
def test_bundled_seeds_pass_up_to_the_trace(program) -> None:
    verdict = judge(program.source, Stage.TRACE)
    assert verdict.ok, f"{program.name}: {verdict.reason}: {verdict.error}"
    assert verdict.stability >= 0.95
    assert verdict.program_hash == program.hashes.program


def test_verdicts_repeat() -> None:
    def plain(verdict: Verdict) -> Verdict:
        stages = tuple(dataclasses.replace(s, seconds=0.0) for s in verdict.stages)
        return dataclasses.replace(verdict, stages=stages)

    assert plain(judge(GOOD, Stage.PROBE)) == plain(judge(GOOD, Stage.PROBE))


@pytest.mark.parametrize("source", [GOOD, GOOD + "    if s.t > 5:\n        win()\n"])
def test_going_on_from_a_verdict_gives_that_of_one_go(source: str) -> None:
    ran: list[Stage] = []
    look = dataclasses.replace(judge(source, Stage.BEHAVIOUR), proposal_id="look")
    request = Request(source, id="x", until=Stage.CERTIFICATE, so_far=look)
    assert Request.from_json(json.loads(json.dumps(request.to_json()))) == request
    verdict = examine(request, CONFIG, on_start=ran.append)
    once = judge(source, Stage.CERTIFICATE)
    assert [dataclasses.replace(s, seconds=0.0) for s in verdict.stages] == [
        dataclasses.replace(s, seconds=0.0) for s in once.stages
    ]
    assert dataclasses.replace(verdict, stages=()) == dataclasses.replace(once, stages=())
    assert Stage.SMOKE not in ran and Stage.BEHAVIOUR not in ran and Stage.TRIVIALITY in ran
    # Nothing is searched: that random play met a reward has to be known from the first look.
    unsearched = dataclasses.replace(CONFIG, certificate_levels=0)
    assert examine(request, unsearched).reason is once.reason


# ---- reading and static checks ----


@pytest.mark.parametrize(
    "source",
    [
        "",
        "def",
        "\x00\x01\x02",
        "ﬁeld = 1",
        "-" * 200_000,
        "import os\nos.system('true')",
        bytes(range(256)).decode("latin-1") * 40,
        bytes(range(256)).decode("utf-8", "replace"),
        "(" * 5000,
        "\ud800",
    ],
    ids=range(10),
)
def test_what_is_no_program_ends_as_syntax(source: str) -> None:
    verdict = judge(source)
    assert verdict.reason is Reason.SYNTAX and reached(verdict) == [Stage.PARSE]
    assert verdict.error.startswith("E1") and "\n" not in verdict.error
    assert sum(s.seconds for s in verdict.stages) < 2.0


def test_a_wrong_type_is_invalid_and_carries_diagnostics() -> None:
    verdict = judge(GOOD.replace("s.phase == 0 and", "s.phase == Tile.EXIT and"))
    assert verdict.reason is Reason.INVALID and reached(verdict)[-1] is Stage.CHECK
    first = detail(verdict, Stage.CHECK)["diagnostics"][0]
    assert first["code"].startswith("E3") and first["line"] > 1


def test_no_way_to_win_is_invalid() -> None:
    assert judge(GOOD.replace("win()", "lose()")).reason is Reason.INVALID


def test_too_much_work_is_too_costly() -> None:
    loops = """
    for i in range(100):
        for j in range(100):
            for k in range(100):
                s.phase = s.phase + 1
"""
    verdict = judge(GOOD.replace("def step(s, act):", "def step(s, act):" + loops))
    assert verdict.reason is Reason.TOO_COSTLY and reached(verdict)[-1] is Stage.COST
    assert verdict.error.startswith("E5")


def test_a_known_program_is_a_duplicate_whatever_its_names() -> None:
    known = judge(GOOD, Stage.COST).program_hash
    renamed = GOOD.replace("turn", "phase").replace("FLOOR", "GROUND")
    verdict = judge(renamed, known_programs=("0" * 16, known))
    assert verdict.reason is Reason.DUPLICATE and reached(verdict)[-1] is Stage.DUPLICATE
    assert verdict.program_hash == known and verdict.env_steps == 0


def test_constants_that_hardly_differ_make_a_duplicate() -> None:
    known = Program.from_source(GOOD)
    entry = (known.hashes.program, known.hashes.skeleton, constants(known))
    near = GOOD.replace("max_steps=40", "max_steps=42").replace("0.02", "0.0205")
    verdict = judge(near, known_constants=(entry,))
    assert verdict.reason is Reason.DUPLICATE and known.hashes.program in verdict.error
    assert detail(verdict, Stage.DUPLICATE)["change"] == pytest.approx(2 / 42)
    other = GOOD.replace("max_steps=40", "max_steps=50")
    assert judge(other, Stage.DUPLICATE, known_constants=(entry,)).ok
    rule = GOOD.replace("s.phase = 1\n", "s.phase = 1\n        s.phase = 1 + 0 * s.phase\n")
    assert judge(rule, Stage.DUPLICATE, known_constants=(entry,)).ok


def test_how_alike_programs_are() -> None:
    first, second = seeds()[0], seeds()[1]
    assert constant_change(first, first) == 0 and behaviour_distance(first, first) == 0
    assert constant_change(first, second) == float("inf")
    assert behaviour_distance(first, second) == behaviour_distance(second, first) > 0.05
    assert largest_change((2.0, 0.0), (2.5, 0.0)) == pytest.approx(0.2)
    assert largest_change((1.0,), (-1.0,)) == 2 and largest_change((0.0,), (0.1,)) == 1


# ---- play ----


def test_same_behaviour_is_found_in_a_different_program() -> None:
    known = judge(GOOD, Stage.BEHAVIOUR)
    other = GOOD.replace(
        "    if s.board[s.agent] == Tile.EXIT:",
        "    if s.board[s.agent] == Tile.EXIT and s.phase < 9:",
    )
    verdict = judge(other, known_behaviours=(known.behaviour_hash,))
    assert verdict.program_hash != known.program_hash
    assert verdict.reason is Reason.SAME_BEHAVIOUR and reached(verdict)[-1] is Stage.BEHAVIOUR


def test_reward_that_nobody_has_seen_is_none() -> None:
    """Random play never wins here; it takes the search to see that there is something to win."""
    sparse = GOOD.replace("        reward(0.02)\n", "").replace("    elif act.move == LEFT:",
                          "    elif act.move != STAY or act.use:")  # fmt: skip
    assert judge(sparse, Stage.CERTIFICATE).ok
    config = dataclasses.replace(CONFIG, certificate_levels=0)
    verdict = examine(Request(sparse, until=Stage.CERTIFICATE), config)
    assert verdict.reason is Reason.NO_REWARD and reached(verdict)[-1] is Stage.CERTIFICATE
    unwinnable = sparse.replace("== Tile.EXIT:", "== Tile.EXIT and s.t < 2:")
    assert judge(unwinnable, Stage.CERTIFICATE).reason is Reason.UNSOLVABLE


def test_a_faulty_program_is_rejected() -> None:
    source = GOOD.replace(
        "def step(s, act):",
        "def step(s, act):\n    if act.use:\n        s.agent = random_cell(COL > 90)",
    )
    verdict = judge(source)
    assert verdict.reason is Reason.FAULT and verdict.stability < 0.9
    assert detail(verdict, Stage.SMOKE)["faults"] > 0


class Spoiled:
    """A real back end of which one thing is spoiled; ``how`` says what."""

    def __init__(self, program, how: str) -> None:
        self._real, self._how = numpy_backend(program), how
        self._noise = np.random.default_rng(0)
        self.constants, self.reset = self._real.constants, self._real.reset

    def observe(self, constants, state):
        seen = self._real.observe(constants, state)
        hud, cells = np.array(seen.hud), np.array(seen.cells)
        late = state.t > 2
        if self._how == "nan":
            hud[late, 0, 5] = np.nan
        elif self._how == "colour":
            cells[late, 0, 4, 4, 0] = 16
        elif self._how == "wide":
            hud = hud.astype(np.float64)
        elif self._how == "narrow":
            cells = cells[..., :5]
        elif self._how == "no action":
            return seen._replace(legal=seen.legal & ~late[:, None, None])
        elif self._how == "noise":
            hud += self._noise.random(hud.shape, np.float32)
        elif self._how == "place":
            hud[:, 0, 60] += np.arange(len(hud), dtype=np.float32)
        return seen._replace(hud=hud, cells=cells)

    def step(self, constants, state, actions):
        following, out = self._real.step(constants, state, actions)
        if self._how == "endless":
            never = np.zeros_like(out.terminated)
            return following, out._replace(terminated=never, truncated=never)
        if self._how == "infinite":
            return following, out._replace(reward=out.reward + np.float32(np.inf))
        if self._how == "size" and len(actions) < 50:
            return following, out._replace(reward=out.reward + np.float32(0.5))
        return following, out


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("nothing", Reason.OK),
        ("nan", Reason.NOT_FINITE),
        ("infinite", Reason.NOT_FINITE),
        ("colour", Reason.BAD_OBSERVATION),
        ("wide", Reason.BAD_OBSERVATION),
        ("narrow", Reason.BAD_OBSERVATION),
        ("no action", Reason.BAD_OBSERVATION),
        ("noise", Reason.NONDETERMINISTIC),
        ("place", Reason.NONDETERMINISTIC),
        ("size", Reason.NONDETERMINISTIC),
        ("endless", Reason.NEVER_ENDS),
    ],
)
def test_smoke_notices_what_is_spoiled(
    monkeypatch: pytest.MonkeyPatch, how: str, reason: Reason
) -> None:
    module = importlib.import_module("spade_jax.executor.stages.smoke")
    monkeypatch.setattr(module, "numpy_backend", lambda program: Spoiled(program, how))
    verdict = judge(GOOD, Stage.SMOKE)
    assert verdict.reason is reason, verdict.error
    assert "\n" not in verdict.error


@pytest.mark.parametrize(
    ("line", "reason", "script"),
    [
        ("    if s.t > 5:\n        win()", Reason.NOOP_WINS, "STAY"),
        ("    if s.t > 5 and chance(0.02):\n        win()", Reason.NOOP_WINS, "STAY"),
        ("    if act.move == UP and s.t > 5:\n        win()", Reason.SCRIPT_WINS, "UP"),
        ("    if act.use and s.t > 5:\n        win()", Reason.SCRIPT_WINS, "use"),
    ],
)
def test_trivial_programs_are_rejected(line: str, reason: Reason, script: str) -> None:
    verdict = judge(GOOD + line + "\n")
    assert verdict.reason is reason and reached(verdict)[-1] is Stage.TRIVIALITY
    found = detail(verdict, Stage.TRIVIALITY)
    assert found["rates"][script] > (0.05 if script == "STAY" else 0.6)
    proven = [
        name
        for name, rate in found["rates"].items()
        if rate > (0.05 if name == "STAY" else 0.6) and found["episodes"][name] >= 256
    ]
    assert proven, "a rejection rests on at least 256 episodes"


def test_random_play_that_wins_is_rejected() -> None:
    line = "    if act.use and s.phase == 1 and s.t > 3:\n        win()\n"
    verdict = judge(GOOD.replace("    elif s.phase == 1", line + "    elif s.phase == 1"))
    assert verdict.reason is Reason.SCRIPT_WINS and "random play" in verdict.error


SAFE = """
def step(s, act):
    if act.move == s.wanted:
        s.phase += 1
        reward(0.02)
        s.wanted = random_dir()
    elif s.phase > 0:
        s.phase = 0
    s.agent = Pos(1, s.phase)
    if s.phase == 8 or s.board[s.agent] == Tile.EXIT:
        win()
"""


def test_greed_that_never_fails_is_rejected() -> None:
    """A lock whose every right turn pays at once: nothing to learn but to take what pays."""
    head = HEAD.replace(', verbs=["use"]', "") + "    wanted: Dir = RIGHT\n"
    verdict = judge(head + RESET + SAFE)
    assert verdict.reason is Reason.SCRIPT_WINS and "greed" in verdict.error, verdict.error
    assert detail(verdict, Stage.TRIVIALITY)["episodes"]["greedy"] == 256
    unpaid = SAFE.replace("        reward(0.02)\n", "").replace("Pos(1, s.phase)", "Pos(1, 0)")
    assert "greed" not in judge(head + RESET + unpaid).error


def test_greed_that_fails_at_once_is_looked_at_for_a_few_episodes() -> None:
    found = detail(judge(GOOD), Stage.TRIVIALITY)
    assert found["episodes"]["greedy"] == 8 and found["rates"]["greedy"] < 6 / 8


def test_only_who_beats_the_other_rivals_meets_the_keen_one(monkeypatch) -> None:
    stage = importlib.import_module("spade_jax.executor.stages.triviality")
    met: list[set[tuple[int, int]]] = []

    def recorded(program, seeds, mine, theirs, matters):
        met.append(set(zip(mine.tolist(), theirs.tolist())))
        return play_panel(program, seeds, mine, theirs, matters)

    monkeypatch.setattr(stage, "play_panel", recorded)
    sumo = next(p for p in seeds() if p.name == "sumo")
    found = stage.triviality(Candidate(Request(""), CONFIG, program=sumo))
    assert found.reason is Reason.OK
    assert met[0] == {(a, r) for a in (*sumo.game.actions, RANDOM) for r in (RANDOM, 0)} | {
        pair for pair in met[0] if pair[0] == GREEDY
    }
    keen = {action for looks in met[1:] for action, rival in looks if rival == KEEN}
    assert len(keen) < len(sumo.game.actions)


def test_episodes_that_are_settled_are_given_up() -> None:
    """Without clock and draws, a repeated action that changes nothing any more is not played on."""
    long = judge(GOOD.replace("max_steps=40", "max_steps=1000"))
    assert long.ok, long.error
    random = play_panel(
        Program.from_source(GOOD.replace("max_steps=40", "max_steps=1000")),
        np.arange(20, dtype=np.int32).reshape(10, 2),
        np.full(10, 2, np.int32),
        np.full(10, RANDOM, np.int32),
        lambda won, over: np.ones(10, bool),
    )
    assert random.env_steps == 10 and random.over.all() and not random.won.any()


# ---- trace and probe ----


def test_the_size_of_the_trace_is_bounded() -> None:
    config = dataclasses.replace(CONFIG, max_jaxpr_eqns=50)
    verdict = examine(Request(GOOD, until=Stage.TRACE), config)
    assert verdict.reason is Reason.TRACE_TOO_LARGE and "equations" in verdict.error


def test_compiling_is_optional() -> None:
    config = dataclasses.replace(CONFIG, compile_programs=True)
    verdict = examine(Request(GOOD, until=Stage.TRACE), config)
    assert verdict.ok and detail(verdict, Stage.TRACE)["compiled"]


def load_solver(path: str):
    """A policy that wins the corridor: right and use in turn (the file is not read)."""
    from spade_jax.play import against, scripted

    return against(scripted([4, 5]))


def test_the_probe_measures_the_policy_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    from envs_dsl.interface import ACTIONS
    from envs_dsl.language.vocabulary import ACTIONS as NAMES

    assert NAMES[4].upper() == "RIGHT" and NAMES[5] == "use" and ACTIONS == 20
    request = Request(GOOD, policy="unused.npz", factory=f"{__name__}:load_solver")
    verdict = examine(request, CONFIG)
    assert verdict.ok and (verdict.successes, verdict.episodes) == (256, 256)
    assert detail(verdict, Stage.PROBE)["policy"] == "file"


def test_a_missing_policy_is_an_internal_error() -> None:
    verdict = examine(Request(GOOD, policy="/nowhere/policy.npz"), CONFIG)
    assert verdict.reason is Reason.INTERNAL and reached(verdict)[-1] is Stage.PROBE


def test_another_seed_probes_other_levels() -> None:
    source = next(program.source for program in seeds() if program.name == "orchard")
    lengths = [
        detail(examine(Request(source, seed=seed), CONFIG), Stage.PROBE)["mean_length"]
        for seed in (1, 2, 1)
    ]
    assert lengths[0] == lengths[2] != lengths[1]


# ---- in a worker ----


def test_workers_answer_like_this_process() -> None:
    def plain(verdict: Verdict) -> Verdict:
        stages = tuple(dataclasses.replace(s, seconds=0.0) for s in verdict.stages)
        return dataclasses.replace(verdict, stages=stages)

    sources = [GOOD, GOOD + "    if s.t > 5:\n        win()\n", "nonsense", "-" * 100_000]
    with Sandbox(CONFIG) as box:
        futures = [box.submit(Request(source, id=str(i))) for i, source in enumerate(sources)]
        for i, (source, future) in enumerate(zip(sources, futures)):
            expected = examine(Request(source, id=str(i)), CONFIG)
            assert plain(future.result(timeout=120)) == plain(expected)

"""The rooms of one run: learner, generator, workers, records. Opened together, closed together.

Nothing here decides anything: these are the hands of ``coevolution``, which is the head.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import jax

from envs_dsl import Program
from envs_dsl.behaviour import behaviour_features, behaviour_hash
from envs_dsl.library import seeds
from spade_jax import checkpoint, curator, processes, skills
from spade_jax.audit import Audit, HeededVerdict
from spade_jax.config import Config
from spade_jax.evidence import find
from spade_jax.executor import Sandbox
from spade_jax.generator import Awaiting, Nothing, close, load_state, make_generator
from spade_jax.learner import Layout, Learner, LearnerState, keep_executables
from spade_jax.play import save_policy
from spade_jax.recorder import OnEvent, Recorder
from spade_jax.records import VerdictJournal
from spade_jax.residents import Resident, load_residents
from spade_jax.run_state import RunState, from_meta, layout_of, plan_of, target_of, to_meta
from spade_jax.screening import Known, Screened, Screening, constants_of
from spade_jax.types import Context, Generator, PoolEntry, Proposal, Verdict, to_json

__all__ = ["Rooms", "open_rooms"]


_PROFILED = 4
"""The iteration that ``profile`` traces: the first ones compile and fill caches."""


@dataclasses.dataclass
class Rooms:
    """What a run works with.

    Attributes:
      config: of the run. thresholds: the curator's, with the learner's cohort size.
      learner, generator, recorder: see there.
      screening: None where nothing is generated.
      compiler: a thread that compiles newcomers.
      folder: of the run. restored: the state to go on from, None for a new run.
      plan: where the run was to end when that state was saved; None where that is not known.
      residents: hand-written environments that hold the last slots, through the whole run.
      screened: what is being written and examined beside the training.
      waited: seconds in which the learner stood still, by what it waited for.
      skipped: minibatches so far whose gradient was not finite, which changed nothing.
    """

    config: Config
    thresholds: curator.CuratorConfig
    learner: Learner
    generator: Generator
    recorder: Recorder
    screening: Screening | None
    compiler: ThreadPoolExecutor
    folder: Path
    restored: RunState | None = None
    plan: Mapping[str, Any] | None = None
    residents: tuple[Resident, ...] = ()
    screened: Future[Screened] | None = None
    waited: dict[str, float] = dataclasses.field(
        default_factory=lambda: {"screening": 0.0, "compiling": 0.0}
    )
    skipped: int = 0

    # --- state ---------------------------------------------------------------------------------

    def save(self, state: RunState) -> None:
        """Write a checkpoint of everything; the journals are forced to the disk first.

        Of several processes each has to call this, and process 0 writes.
        """
        learner = self.learner.fetch(state.learner)
        if not processes.leads():
            return
        meta = to_meta(state) | {
            "plan": plan_of(self.config),
            "offsets": self.recorder.offsets(),
        }
        checkpoint.save(
            self.folder / "checkpoints",
            state.round,
            learner,
            meta,
            keep=self.config.keep_checkpoints,
            score=state.score,
        )

    def seed_entries(self) -> tuple[PoolEntry, ...]:
        """The bundled seed programs as pool entries: not gated, fully stable."""
        return tuple(
            PoolEntry(
                program_hash=program.hashes.program,
                skeleton_hash=program.hashes.skeleton,
                behaviour_hash=behaviour_hash(program),
                source=program.source,
                name=program.name,
                generator="seeds",
                operator="seed",
                parents=(),
                round_admitted=0,
                skills=program.game.skills,
                features=tuple(float(f) for f in behaviour_features(program)),
                stability=1.0,
                seed=True,
            )
            for program in seeds()
        )

    def next_layout(self, pool: curator.Pool, layout: Layout, round: int) -> Layout:
        """Which programs of the pool sit in which slot from here on."""
        return self._laid_out(pool, layout.hashes, round)

    def first_layout(self, pool: curator.Pool) -> Layout:
        """The layout that a run begins with."""
        return self._laid_out(pool, ("",) * self.learner.config.slots, 0)

    def _laid_out(self, pool: curator.Pool, slots: Sequence[str], round: int) -> Layout:
        """The curator's layout, and after it the residents; ``slots`` is the one so far."""
        kept = tuple(resident.hashes.program for resident in self.residents)
        free = slots[: len(slots) - len(kept)]
        assigned = curator.assign_slots(pool, free, round, self.thresholds)
        return layout_of(pool, (*assigned, *kept), self.learner.cohorts.size, self.residents)

    # --- beside the training ---------------------------------------------------------------------

    def start_screening(self, state: RunState, context: Context) -> Future[Screened]:
        """Write and examine programs with the policy as it is now."""
        if self.screening is None:
            nothing: Future[Screened] = Future()
            nothing.set_result(Screened())
            return nothing
        policy = self.folder / "policy.npz"
        save_policy(policy, self.learner.numpy_params(state.learner.params))
        identities = state.pool.identities()
        self.screened = self.screening.start(
            context,
            self.config.candidates_per_round,
            state.outcomes,
            policy,
            Known(identities.programs, identities.behaviours, constants_of(state.pool.entries)),
            # Workers do not compile: what does not compile would seem healthy to them, every round.
            [e for e in state.pool.quarantined if e.program_hash not in state.uncompiled],
            curator.longest_unmeasured(state.pool.archive, self.config.archive_probes),
            state.predictor,
        )
        return self.screened

    def stop_if_awaiting(self) -> None:
        """End a round early whose generator has to wait for somebody: it is run again anyway.

        Several processes go on to the point at which they share what was screened.
        """
        if self.screened is None or not self.screened.done() or processes.together():
            return
        if isinstance(error := self.screened.exception(), Awaiting):
            raise error

    def refusals(self, round: int) -> tuple[HeededVerdict, ...]:
        """Rejections by a person that count at the start of a round (see ``spade_jax.audit``)."""
        return processes.agreed(lambda: Audit(self.folder).due(round))

    def start_compiling(self, state: RunState) -> tuple[Layout, Future[None]]:
        """The next layout, and its executables being compiled."""
        target = self.next_layout(state.pool, state.layout, state.round)
        return target, self.compiler.submit(self.learner.prepare, target)

    def wait_for_screening(self, future: Future[Screened]) -> Screened:
        """What generation and validation came to (in process 0); the wait is counted."""
        started = time.perf_counter()
        while not future.done():
            self.hurry_screening()
            wait([future], timeout=0.1)
        self.waited["screening"] += time.perf_counter() - started
        return processes.agreed(future.result)

    def hurry_screening(self) -> None:
        """Let no more be written in this round: the learner is about to need what there is."""
        if self.screening is not None:
            self.screening.hurry()

    def wait_for_compiling(self, future: Future[None]) -> BaseException | None:
        """How compilation failed, None when it did not; the wait is counted."""
        return self._wait(future, "compiling")

    def _wait(self, future: Future[Any], what: str) -> BaseException | None:
        started = time.perf_counter()
        error = future.exception()
        self.waited[what] += time.perf_counter() - started
        return error

    def compile_alone(self, program: Program) -> BaseException | None:
        """How the compilation of one program by itself fails, None when it does not."""
        return self._wait(
            self.compiler.submit(self.learner.prepare_evaluation, [program]), "compiling"
        )

    def compile_layout(self, layout: Layout) -> BaseException | None:
        """How the compilation of a layout that is waited for fails, None when it does not."""
        return self._wait(self.compiler.submit(self.learner.prepare, layout), "compiling")

    def evidence(
        self, before: LearnerState, layout: Layout, slots: Sequence[int], fault: str
    ) -> dict[str, Any]:
        """What replays a program's fault in the iteration that began with ``before``; JSON values.

        ``slots``: where the program was. Where no roll-out shows the fault again, only what is
        known of it.
        """
        iteration = int(before.iteration) + 1
        program = layout.programs[slots[0]]
        for slot in slots:
            recording = self.learner.record(before, layout, slot)
            found = find(program, recording, fault, iteration=iteration, slot=slot)
            if found is not None:
                return to_json(found)
        note = "a second roll-out did not show it"
        return {"fault": fault, "iteration": iteration, "slots": list(slots), "note": note}

    def candidate(
        self, pool: curator.Pool, proposal: Proposal, verdict: Verdict
    ) -> curator.Candidate:
        """A proposal with its verdict, named after where it came from, with its skills."""
        if not verdict.program_hash:
            return curator.Candidate(proposal, verdict)
        program = Program.from_source(proposal.source)
        family = "new"
        for parent in proposal.parents[:1]:
            if any(e.program_hash == parent for e in pool.entries):
                family = pool.find(parent).name.partition("-")[0]
        name = f"{family}-{program.hashes.program[:6]}"
        tags = skills.tags(verdict, program.game.skills)
        return curator.Candidate(proposal, verdict, proposal.source, name, tags)

    @contextmanager
    def profiled(self, state: RunState) -> Iterator[None]:
        """Trace the training iteration inside, where that is asked for and it is a warm one."""
        if self.config.profile and int(state.learner.iteration) == _PROFILED:
            with jax.profiler.trace(str(self.folder / "profile")):
                yield
            self.recorder.say(f"profile of iteration {_PROFILED + 1}: {self.folder / 'profile'}")
        else:
            yield


@contextmanager
def open_rooms(config: Config, folder: Path, resume: bool, on_event: OnEvent) -> Iterator[Rooms]:
    """Open everything a run needs; on leaving, workers are ended and journals closed."""
    cache = cache_folder(config)
    if cache:
        keep_executables(cache)
    residents = load_residents(config.residents)
    learner = Learner(config.learner, devices=config.devices)
    generating = config.arm == "coevo" and config.generator != "none"
    journaled = folder if processes.leads() else None
    generator: Generator = Nothing()
    if generating:
        generator = make_generator(config.generator, config.llm, journaled)
    restored: RunState | None = None
    plan: Mapping[str, Any] | None = None
    offsets: Mapping[str, int] | None = None
    notices: tuple[str, ...] = ()
    found = (
        processes.agreed(lambda: _last_checkpoint(folder, learner, residents)) if resume else None
    )
    if found is not None:
        restored = from_meta(found.meta, found.arrays, learner, residents)
        plan = found.meta.get("plan")  # older checkpoints have none
        load_state(generator, restored.generator)
        if processes.leads():
            offsets, notices = found.meta["offsets"], found.notices
    with ExitStack() as stack:
        recorder = Recorder(folder, on_event, offsets)
        stack.callback(recorder.close)
        for notice in notices:
            recorder.say(notice, warning=True)
        journal = VerdictJournal(folder / "verdicts.jsonl")
        stack.callback(journal.close)
        screening = None
        if generating and processes.leads():
            limits = dataclasses.replace(config.executor, compilation_cache=cache)
            sandbox = stack.enter_context(Sandbox(limits))
            recorder.say(sandbox.capabilities.line())
            screening = Screening(generator, sandbox, journal, config.probe_share)
            stack.callback(screening.close)
            # First of all: what a model still says when a run is over must not be recorded.
            stack.callback(close, generator)
        compiler = stack.enter_context(ThreadPoolExecutor(1, thread_name_prefix="compile"))
        yield Rooms(
            config=config,
            thresholds=dataclasses.replace(config.curator, cohort=learner.cohorts.size),
            learner=learner,
            generator=generator,
            recorder=recorder,
            screening=screening,
            compiler=compiler,
            folder=folder,
            restored=restored,
            plan=plan,
            residents=residents,
        )


def _last_checkpoint(
    folder: Path, learner: Learner, residents: Sequence[Resident]
) -> checkpoint.Restored | None:
    """What to go on from; None where nothing was saved yet."""
    if not checkpoint.exists(folder / "checkpoints"):
        return None
    return checkpoint.restore(
        folder / "checkpoints", lambda meta: target_of(meta, learner, residents)
    )


def cache_folder(config: Config) -> str:
    """Folder of JAX's persistent compilation cache; "" when it is off."""
    if config.compilation_cache == "off":
        return ""
    if config.compilation_cache != "auto":
        return os.path.abspath(os.path.expanduser(config.compilation_cache))
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "spade_jax", "xla")

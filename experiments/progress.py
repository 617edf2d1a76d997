"""Live progress of a run: a panel on a terminal, plain lines elsewhere."""

from __future__ import annotations

import dataclasses
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

__all__ = ["Plan", "Progress", "Tracker", "bars"]

_BLOCKS = " ▁▂▃▄▅▆▇█"


def bars(counts: Sequence[int]) -> str:
    """Counts as one character each: ``[0, 1, 2]`` → ``" ▄█"``."""
    top = max(counts, default=0)
    if top <= 0:
        return " " * len(counts)
    return "".join(_BLOCKS[-(-8 * count // top)] for count in counts)


@dataclasses.dataclass(frozen=True)
class Plan:
    """How long a run will be: its rounds and PPO iterations, or the steps that end it earlier."""

    rounds: int
    iterations: int
    env_steps: int | None = None


class Tracker:
    """What is known of a running experiment, built up from its events (pure bookkeeping).

    Attributes:
      plan: how long the run will be. round: the one in progress; 0 is pretraining on the seeds.
      funnel: candidates so far by what became of them.
    """

    def __init__(self, plan: Plan, clock: Callable[[], float] = time.monotonic):
        self.plan = plan
        self.round = 0
        self.iteration = 0
        self.env_steps = 0
        self.pool_size = 0
        self.histogram: Sequence[int] = ()
        self.steps_per_s = 0.0
        self.success: float | None = None
        self.heldout: float | None = None
        self.funnel: Counter[str] = Counter()
        self._clock = clock
        self._started = clock()
        self._first: tuple[float, float] | None = None  # moment and share done, in this process

    def update(self, kind: str, data: Mapping[str, Any]) -> None:
        """Take in one event. Kinds it does not know say nothing to it."""
        if kind == "iteration":
            self.round = int(data.get("round", self.round))
            self.iteration = int(data["iteration"])
            self.env_steps = int(data["env_steps"])
            self.steps_per_s = float(data.get("steps_per_s", 0.0))
            self.success = data.get("success", self.success)
        elif kind == "candidate":
            self.funnel["admitted" if data["admitted"] else str(data["reason"])] += 1
        elif kind == "heldout":
            self.heldout = float(data["mean"])
        elif kind == "round":
            self.round = int(data["round"]) + 1
            self.env_steps = int(data["env_steps"])
            self.pool_size = int(data["pool_size"])
            self.histogram = data["histogram"]
        if self._first is None and kind == "iteration":
            self._first = (self._clock(), self.done)

    @property
    def seconds(self) -> float:
        """Since the tracker was made."""
        return self._clock() - self._started

    @property
    def done(self) -> float:
        """Share of the run that is done, 0-1: of its step budget if any, else of its iterations."""
        if self.plan.env_steps:
            return min(1.0, self.env_steps / self.plan.env_steps)
        return min(1.0, self.iteration / max(self.plan.iterations, 1))

    @property
    def seconds_left(self) -> float | None:
        """From the pace of this process so far; None before it has one."""
        if self._first is None or self.done <= self._first[1]:
            return None
        moment, share = self._first
        return (self._clock() - moment) * (1.0 - self.done) / (self.done - share)

    @property
    def round_text(self) -> str:
        """The round in progress; without a total where only the steps say when to stop."""
        if self.round == 0:
            return "pretraining"
        return f"{self.round}" if self.plan.env_steps else f"{self.round}/{self.plan.rounds}"

    def funnel_text(self, most: int = 6) -> str:
        """The funnel on one line, most frequent first."""
        parts = [f"{name.replace('_', ' ')} {n}" for name, n in self.funnel.most_common(most)]
        rest = sum(self.funnel.values()) - sum(n for _, n in self.funnel.most_common(most))
        return " · ".join([*parts, *([f"other {rest}"] if rest else [])])


class Progress:
    """Shows a run while it goes on; use as a context and pass ``on_event`` to the loop.

    A warning that differs from an earlier one in nothing but its numbers is not shown again: what
    is dead stays dead for many rounds. The run's records have each.
    """

    def __init__(self, plan: Plan, title: str, console: Console | None = None):
        self.tracker = Tracker(plan)
        self._console = console or Console()
        self._title = title
        self._live: Live | None = None
        self._warned: set[str] = set()

    def __enter__(self) -> Progress:
        if self._console.is_terminal:
            self._live = Live(
                console=self._console, get_renderable=self._panel, refresh_per_second=4
            )
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def on_event(self, kind: str, data: Mapping[str, Any]) -> None:
        """The callback of the loop."""
        self.tracker.update(kind, data)
        line = self._line(kind, data)
        if kind == "warning" and line is not None:
            gist = re.sub(r"\d+", "0", line)
            if gist in self._warned:
                return
            self._warned.add(gist)
        if line and (self._live is None or kind in ("message", "warning")):
            # No markup and no wrapping: a line may quote a program's name.
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _line(self, kind: str, data: Mapping[str, Any]) -> str | None:
        t = self.tracker
        if kind in ("message", "warning"):
            return ("warning: " if kind == "warning" else "") + str(data.get("text", ""))
        if kind == "heldout":
            return f"held-out success {data['mean']:.3f} after {int(data['env_steps']):,} steps"
        if kind == "round":
            parts = (
                f"{_named(int(data['round']))}: pool {t.pool_size}{_histogram(t)}",
                f"{t.env_steps:,} steps  {t.steps_per_s:,.0f} steps/s  {_left(t)}",
                t.funnel_text(),
            )
            return "  |  ".join(part for part in parts if part)
        return None

    def _panel(self) -> Panel:
        t = self.tracker
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim")
        table.add_column()
        table.add_row("round", f"{t.round_text}   {_left(t)}")
        table.add_row("steps", f"{t.env_steps:,}   {t.steps_per_s:,.0f} a second")
        if t.success is not None:
            table.add_row("success", f"{t.success:.3f} in training (iteration {t.iteration})")
        if t.heldout is not None:
            table.add_row("held-out", f"{t.heldout:.3f}")
        if t.pool_size:
            table.add_row("pool", Text(f"{t.pool_size} programs{_histogram(t)}"))
        if t.funnel:
            table.add_row("candidates", Text(t.funnel_text()))
        return Panel(Group(table), title=Text(self._title), title_align="left")


def _named(round: int) -> str:
    return f"round {round}" if round else "pretraining"


def _histogram(tracker: Tracker) -> str:
    """How the pool spreads over success 0 to 1; nothing for arms that do not measure it."""
    return f", success 0 [{bars(tracker.histogram)}] 1" if any(tracker.histogram) else ""


def _left(tracker: Tracker) -> str:
    if tracker.seconds_left is None:
        return f"{_clock(tracker.seconds)} so far"
    return f"{_clock(tracker.seconds_left)} left"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"

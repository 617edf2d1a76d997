"""The report: one self-contained HTML page a run, readable offline."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from spade_jax.records import write_atomic
from spade_jax.report import figures
from spade_jax.report.calibration import calibration
from spade_jax.report.choices import Choice, choices
from spade_jax.report.pool import Card, cards
from spade_jax.report.residents import Residency, residents
from spade_jax.report.run_folder import HeldOut, Run
from spade_jax.report.sheets import sheets
from spade_jax.report.summary import ADMITTED, funnel, novelty

__all__ = ["render_report", "template", "write_report"]


@dataclasses.dataclass(frozen=True)
class _Picture:
    """An image with the words that stand in for it."""

    uri: str
    alt: str


def write_report(run: Run, baseline: Run | None = None, path: Path | None = None) -> Path:
    """Write the report of a run (into its folder unless ``path`` says where); returns the file."""
    target = path or run.path / "report.html"
    write_atomic(target, render_report(run, baseline))
    return target


def render_report(run: Run, baseline: Run | None = None) -> str:
    """The report as HTML. ``baseline`` is drawn beside the held-out curve.

    Program texts and names are hostile input: the template escapes everything, and the page's own
    policy forbids scripts and outside resources.
    """
    return template("report.html.j2").render(**_content(run, baseline))


def template(name: str) -> jinja2.Template:
    """A template of this package that escapes everything it is given."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("spade_jax.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)


def _content(run: Run, baseline: Run | None) -> dict[str, Any]:
    return {
        "title": f"{run.arm}, seed {run.seed}",
        "facts": _facts(run),
        "novelty": novelty(run) if run.candidates else None,
        "heldout": _heldout_picture(run, baseline),
        "families": _families(run, baseline),
        "baseline": baseline is not None,
        "funnel": _funnel_picture(run),
        "heatmap": _heatmap_picture(run),
        "profile": _profile_picture(run),
        "training": _training_picture(run),
        "residents": [_residency(found) for found in residents(run)],
        "choices": [(kind, found, _choices_picture(kind, found)) for kind, found in _choices(run)],
        "calibration": calibration(run),
        "reliability": _reliability_picture(run),
        "audit": sheets(run),
        "folder": str(run.path),
        "cards": [(card, _png(card), _spark(card)) for card in cards(run)],
        "config": _flat(run.config),
    }


def _facts(run: Run) -> list[tuple[str, str]]:
    seconds = sum(float(line.get("seconds", 0.0)) for line in run.rounds)
    waiting = sum(float(line.get("wait_seconds", 0.0)) for line in run.rounds)
    compiling = sum(float(line.get("compile_seconds", 0.0)) for line in run.rounds)
    rounds = [line for line in run.rounds if line["round"] > 0]  # round 0 is pretraining
    facts = []
    if run.final is not None:
        facts.append(("held-out success at the end", f"{run.final.mean:.3f}"))
    if run.untrained is not None:
        facts.append(("held-out success untrained", f"{run.untrained.mean:.3f}"))
    return [
        *facts,
        ("rounds after pretraining", str(len(rounds))),
        ("environment steps", f"{run.env_steps:,}"),
        ("candidates", str(len(run.candidates))),
        ("time in rounds", f"{seconds / 60:.1f} min"),
        ("compiling, beside training", f"{compiling / 60:.1f} min"),
        ("learner waiting", f"{waiting / 60:.1f} min"),
    ]


def _svg(figure: Any, alt: str) -> _Picture:
    return _Picture(figures.data_uri(figures.svg(figure), "svg+xml"), alt)


def _heldout_picture(run: Run, baseline: Run | None) -> _Picture | None:
    lines = [(run.arm, run.heldout)]
    if baseline is not None:
        lines.append((f"{baseline.arm} (baseline)", baseline.heldout))
    lines = [(label, line) for label, line in lines if line]
    if not lines:
        return None
    ends = "; ".join(f"{label} ends at {line[-1].mean:.3f}" for label, line in lines)
    return _svg(figures.heldout_plot(lines), f"Held-out success against environment steps. {ends}.")


def _families(run: Run, baseline: Run | None) -> list[tuple[str, list[str]]]:
    """Rows (family, [untrained, final, baseline]) of the held-out table."""
    if run.final is None:
        return []
    other = baseline.final if baseline is not None else None

    def cell(measurement: HeldOut | None, family: str | None) -> str:
        if measurement is None:
            return "–"
        value = measurement.mean if family is None else measurement.programs.get(family)
        return "–" if value is None else f"{value:.3f}"

    columns = [run.untrained, run.final, *([other] if baseline is not None else [])]
    names: list[str | None] = [*sorted(run.final.programs), None]
    return [(name or "mean", [cell(column, name) for column in columns]) for name in names]


def _funnel_picture(run: Run) -> _Picture | None:
    counts = funnel(run.candidates)
    if not counts:
        return None
    words = ", ".join(f"{name} {n}" for name, n in sorted(counts.items(), key=lambda i: -i[1]))
    return _svg(figures.funnel_plot(counts, ADMITTED), f"Candidates by outcome: {words}.")


def _heatmap_picture(run: Run) -> _Picture | None:
    rounds = [line for line in run.rounds if any(line.get("histogram", ()))]
    if not rounds:
        return None
    last = rounds[-1]["histogram"]
    inside = sum(last[3:7])
    alt = (
        "Success rates of the pool's programs, round by round; "
        f"in the last round {inside} of {sum(last)} lie between 0.3 and 0.7."
    )
    numbers = [int(line["round"]) for line in rounds]
    return _svg(figures.success_heatmap([line["histogram"] for line in rounds], numbers), alt)


def _profile_picture(run: Run) -> _Picture | None:
    profile = run.rounds[-1].get("profile") if run.rounds else None
    if not profile:
        return None
    words = ", ".join(f"{row['skill']} {row['mean']:.2f}" for row in profile)
    return _svg(figures.profile_plot(profile), f"Success per skill in the last round: {words}.")


def _training_picture(run: Run) -> _Picture | None:
    if not run.iterations:
        return None
    alt = f"Curves of the learner over {len(run.iterations)} PPO iterations."
    return _svg(figures.training_plot(run.iterations), alt)


def _residency(found: Residency) -> list[str]:
    """A row of the table of residents."""

    def ends(values: Mapping[int, float]) -> list[str]:
        told = [f"{value:.3f}" for value in values.values()]
        return [told[0], told[-1]] if told else ["–", "–"]

    counts = [f"{found.steps:,}", f"{found.episodes:,}"]
    wild = str(found.unhealthy) if found.unhealthy else "–"
    return [found.name, *counts, *ends(found.success), *ends(found.returns), wild]


_MOST_CHOICES = 24


def _choices(run: Run) -> list[tuple[str, list[Choice]]]:
    """The kinds of choice in which there was one, each with its most used names."""
    found = choices(run)
    return [(kind, names[:_MOST_CHOICES]) for kind, names in found.items() if len(names) > 1]


def _choices_picture(kind: str, found: Sequence[Choice]) -> _Picture:
    words = ", ".join(f"{c.name} {c.proposals}" for c in found)
    alt = f"Proposals a round by {kind}; in all {words}."
    return _svg(figures.choices_plot({c.name: c.by_round for c in found}), alt)


def _reliability_picture(run: Run) -> _Picture | None:
    found = calibration(run)
    if not found:
        return None
    curves = {c.what: [(b.predicted, b.happened, b.count) for b in c.bins] for c in found}
    words = "; ".join(
        f"{c.what}: " + ", ".join(f"said {b.predicted:.2f}, was {b.happened:.2f}" for b in c.bins)
        for c in found
    )
    return _svg(figures.reliability_plot(curves), f"What the predictor said and what was. {words}.")


def _png(card: Card) -> str | None:
    return figures.data_uri(card.png, "png") if card.png else None


def _spark(card: Card) -> _Picture | None:
    if len(card.history) < 2:
        return None
    alt = f"success over the rounds, from {card.history[0]:.2f} to {card.history[-1]:.2f}"
    return _svg(figures.sparkline(card.history), alt)


def _flat(config: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for key, value in config.items():
        if isinstance(value, Mapping):
            rows += _flat(value, f"{prefix}{key}.")
        else:
            rows.append((f"{prefix}{key}", str(value)))
    return rows

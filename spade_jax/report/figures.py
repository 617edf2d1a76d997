"""Figures of a run, each a matplotlib Figure made without global state, and ways to inline them."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from spade_jax.report import stats
from spade_jax.report.comparison import Comparison
from spade_jax.report.run_folder import HeldOut, Run

__all__ = [
    "choices_plot",
    "comparison_plot",
    "data_uri",
    "funnel_plot",
    "heldout_plot",
    "profile_plot",
    "reliability_plot",
    "sparkline",
    "success_heatmap",
    "svg",
    "targeting_plot",
    "training_plot",
    "tuning_plot",
]

# Okabe and Ito's colours: told apart by colour-blind readers too.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_GREY = "#6b7280"


def svg(figure: Figure) -> bytes:
    """The figure as SVG, the same bytes for the same figure."""
    buffer = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "spade", "svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def data_uri(data: bytes, kind: str) -> str:
    """Bytes as a `data:` address for an <img> (kind "svg+xml", "png", "gif")."""
    return f"data:image/{kind};base64,{base64.b64encode(data).decode('ascii')}"


def _figure(width: float, height: float, columns: int = 1, rows: int = 1) -> tuple[Figure, Any]:
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False)
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(alpha=0.25, linewidth=0.6)
        axis.set_axisbelow(True)
    return figure, axes


def _millions(axis: Axes, steps: Sequence[float]) -> float:
    """Label the x axis as environment steps; returns what to divide steps by."""
    scale, unit = (1e6, " (millions)") if max(steps, default=0) >= 1e6 else (1e3, " (thousands)")
    axis.set_xlabel(f"environment steps{unit}")
    return scale


def heldout_plot(runs: Sequence[tuple[str, Sequence[HeldOut]]]) -> Figure:
    """Held-out success against environment steps, one line a run; the first with its families."""
    figure, axes = _figure(7.5, 3.6)
    axis = axes[0, 0]
    scale = _millions(axis, [m.env_steps for _, line in runs for m in line])
    for index, (label, line) in enumerate(runs):
        x = np.array([m.env_steps for m in line]) / scale
        color = COLORS[index % len(COLORS)]
        if index == 0 and line:
            for family in line[0].programs:
                y = [m.programs.get(family, np.nan) for m in line]
                axis.plot(x, y, color=color, alpha=0.22, linewidth=0.9)
        y = [m.mean for m in line]
        axis.plot(x, y, color=color, linewidth=2.2, marker="o", markersize=3.5, label=label)
    axis.set_ylim(*_success_limits(v for _, line in runs for m in line for v in _values(m)))
    axis.set_ylabel("held-out success")
    axis.legend(frameon=False, loc="best")
    return figure


def _values(measurement: HeldOut) -> list[float]:
    return [measurement.mean, *measurement.programs.values()]


def _success_limits(values: Iterable[float]) -> tuple[float, float]:
    """Of an axis from 0 to the greatest success, or to 0.2: a low curve should be readable."""
    top = min(1.0, max(0.2, 1.1 * max(values, default=1.0)))
    return -0.02 * top, 1.02 * top


def funnel_plot(counts: Mapping[str, int], admitted: str = "admitted") -> Figure:
    """Candidates by what became of them, most frequent first, the admitted ones on top."""
    ordered = sorted(counts.items(), key=lambda item: (item[0] == admitted, item[1], item[0]))
    names, values = [name for name, _ in ordered], [value for _, value in ordered]
    figure, axes = _figure(7.5, 0.8 + 0.28 * max(len(names), 1))
    axis = axes[0, 0]
    colors = [COLORS[2] if name == admitted else "#9ca3af" for name in names]
    bars = axis.barh([name.replace("_", " ") for name in names], values, color=colors)
    axis.bar_label(bars, padding=3, fontsize=9)
    axis.set_xlabel("candidates")
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.grid(axis="y", visible=False)
    return figure


def success_heatmap(histograms: Sequence[Sequence[int]], rounds: Sequence[int]) -> Figure:
    """How many pool programs lie in each tenth of the success rate, round by round."""
    figure, axes = _figure(7.5, 3.2)
    axis = axes[0, 0]
    axis.grid(visible=False)
    counts = np.array(histograms, dtype=float).T
    extent = (rounds[0] - 0.5, rounds[-1] + 0.5, 0.0, 1.0)
    image = axis.imshow(counts, origin="lower", aspect="auto", cmap="Blues", extent=extent)
    for edge in (0.3, 0.7):  # the band where learning happens
        axis.axhline(edge, color=COLORS[1], linewidth=1, linestyle="--")
    axis.set_xlabel("round")
    axis.set_ylabel("success rate")
    axis.xaxis.get_major_locator().set_params(integer=True)
    whole = MaxNLocator(integer=True)
    figure.colorbar(image, ax=axis, label="programs", ticks=whole)
    return figure


_CURVES = (
    ("success", "success in training"),
    ("entropy", "policy entropy"),
    ("value", "value loss"),
    ("explained", "explained variance"),
    ("kl", "approximate KL"),
    ("grad_norm", "gradient norm"),
    ("steps_per_s", "environment steps / s"),
    ("rss_mb", "resident memory (MB)"),
)


def training_plot(iterations: Sequence[Mapping[str, Any]]) -> Figure:
    """The learner's curves against PPO iterations."""
    figure, axes = _figure(11, 4.4, columns=4, rows=2)
    for axis, (key, label) in zip(axes.flat, _CURVES, strict=True):
        points = [(i["iteration"], i[key]) for i in iterations if i.get(key) is not None]
        axis.set_title(label, fontsize=10)
        if not points:
            axis.text(0.5, 0.5, "not recorded", ha="center", color=_GREY, transform=axis.transAxes)
            continue
        x, y = np.array(points, dtype=float).T
        axis.plot(x, y, color=COLORS[0], alpha=0.35, linewidth=0.8)
        axis.plot(x, _smooth(y), color=COLORS[0], linewidth=1.8)
    for axis in axes[-1]:
        axis.set_xlabel("iteration")
    return figure


def _smooth(values: np.ndarray) -> np.ndarray:
    """Moving average over a twentieth of the curve, shorter at its ends."""
    width = max(1, len(values) // 20)
    kernel = np.ones(width)
    total = np.convolve(values, kernel, mode="same")
    return total / np.convolve(np.ones(len(values)), kernel, mode="same")


def profile_plot(profile: Sequence[Mapping[str, Any]]) -> Figure:
    """Success per skill with its interval."""
    rows = sorted(profile, key=lambda skill: skill["mean"])
    figure, axes = _figure(7.5, 0.9 + 0.3 * max(len(rows), 1))
    axis = axes[0, 0]
    for index, row in enumerate(rows):
        axis.plot([row["low"], row["high"]], [index, index], color=COLORS[0], linewidth=2)
        axis.plot(row["mean"], index, "o", color=COLORS[0])
    axis.set_yticks(range(len(rows)), [f"{r['skill']} ({r['programs']})" for r in rows])
    axis.set_xlim(0, 1)
    axis.set_ylim(-0.6, len(rows) - 0.4)
    axis.set_xlabel("success (95 % interval; programs in brackets)")
    return figure


def choices_plot(counts: Mapping[str, Mapping[int, int]]) -> Figure:
    """Proposals a round, stacked by what was chosen; what is not among the first six is "others".

    ``counts``: name → round → proposals, the most used name first.
    """
    rounds = sorted({round for by_round in counts.values() for round in by_round})
    first = dict(list(counts.items())[: len(COLORS)])
    rest = list(counts.values())[len(COLORS) :]
    rows = {name: [by_round.get(r, 0) for r in rounds] for name, by_round in first.items()}
    if rest:
        rows["others"] = [sum(by_round.get(r, 0) for by_round in rest) for r in rounds]
    figure, axes = _figure(7.5, 2.8)
    axis = axes[0, 0]
    bottom = np.zeros(len(rounds))
    for name, color in zip(rows, (*COLORS, "#9ca3af"), strict=False):
        axis.bar(rounds, rows[name], bottom=bottom, color=color, label=_plain(name))
        bottom = bottom + np.asarray(rows[name])
    axis.set_xlabel("round")
    axis.set_ylabel("proposals")
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axis.yaxis.set_major_locator(MaxNLocator(integer=True))
    axis.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=9)
    return figure


def _plain(name: str) -> str:
    """A name from outside as a label: short, on one line, no formula, not hidden by a leading _."""
    text = " ".join(name.split()).replace("$", r"\$")
    text = text if len(text) <= 32 else f"{text[:31]}…"
    return text if not text.startswith("_") else f" {text}"


def reliability_plot(curves: Mapping[str, Sequence[tuple[float, float, int]]]) -> Figure:
    """What was said against what happened, with the number of predictions at each point."""
    figure, axes = _figure(10, 3.2, columns=max(1, len(curves)))
    for axis, (name, points) in zip(axes.flat, curves.items(), strict=False):
        axis.plot([0, 1], [0, 1], color=_GREY, linewidth=0.8, linestyle="--")
        x, y, counts = zip(*points, strict=True)
        axis.plot(x, y, "o-", color=COLORS[0], markersize=4)
        for at, height, count in zip(x, y, counts, strict=True):
            axis.annotate(str(count), (at, height), xytext=(4, -10), textcoords="offset points")
        axis.set_xlim(-0.02, 1.02)
        axis.set_ylim(-0.02, 1.02)
        axis.set_title(name, fontsize=10)
        axis.set_xlabel("predicted")
    axes[0, 0].set_ylabel("happened")
    return figure


def targeting_plot(sources: Mapping[str, Mapping[str, Any]]) -> Figure:
    """Shares of programs that are what was asked for, beside what chance gives; one panel each.

    ``sources``: name → ``report.targeting.steering``.
    """
    figure, axes = _figure(6.5 * len(sources), 4.4, columns=len(sources))
    for axis, (name, told) in zip(axes.flat, sources.items(), strict=True):
        rows = [("skill", told["skill"]), ("mechanism", told["mechanism"])]
        rows += [(f"  {skill}", row) for skill, row in told["by_skill"].items()]
        for at, (_, row) in enumerate(rows):
            if row is None:
                continue
            spread = [[row["share"] - row["low"]], [row["high"] - row["share"]]]
            first = not at
            axis.errorbar(
                [row["share"]],
                [at],
                xerr=spread,
                fmt="o",
                color=COLORS[0],
                markersize=5,
                label="asked for it" if first else None,
            )
            if "chance" in row:
                low, high = row["chance_low"], row["chance_high"]
                axis.barh(at, high - low, left=low, height=0.5, color=_GREY, alpha=0.4)
                chance = row["chance"]
            else:
                chance = row["otherwise"]
            if chance is not None:
                axis.plot(
                    [chance],
                    [at],
                    "|",
                    color=_GREY,
                    markersize=14,
                    markeredgewidth=2,
                    label="asked for something else, or by chance" if first else None,
                )
        axis.set_yticks(
            range(len(rows)), [f"{label} ({row['of'] if row else 0})" for label, row in rows]
        )
        axis.invert_yaxis()
        axis.set_xlim(-0.02, 1.02)
        axis.set_xlabel("share of programs, as their play shows")
        axis.set_title(f"{_plain(name)}, {told['programs']} programs", fontsize=10)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, fontsize=9, ncols=2, loc="outside lower center")
    return figure


def tuning_plot(document: Mapping[str, Any]) -> Figure:
    """Pass rates of a frozen and a learning model against the round (``report.tuning.curves``)."""
    titles = {"gates": "pass every gate", "distinct": "pass, and play like nothing before"}
    figure, axes = _figure(9, 3.6, columns=len(titles))
    for axis, (metric, title) in zip(axes.flat, titles.items(), strict=True):
        told = document[metric]
        for arm, color in zip(("frozen", "learned"), COLORS, strict=False):
            points = told[arm]
            axis.plot(told["rounds"], [p["share"] for p in points], "o-", color=color, label=arm)
            low, high = ([p[side] for p in points] for side in ("low", "high"))
            axis.fill_between(told["rounds"], low, high, color=color, alpha=0.15, linewidth=0)
            for seed in points[0]["by_seed"]:
                line = [p["by_seed"][seed] for p in points]
                axis.plot(told["rounds"], line, color=color, alpha=0.35, linewidth=0.8)
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("round")
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        axis.set_ylim(bottom=0.0)
    axes[0, 0].set_ylabel("share of what was asked for")
    axes[0, 0].legend(frameon=False, fontsize=9)
    return figure


def sparkline(values: Sequence[float]) -> Figure:
    """A program's success over the rounds, small."""
    figure = Figure(figsize=(1.8, 0.45))
    axis = figure.add_axes((0.02, 0.08, 0.96, 0.84))
    axis.axhspan(0.3, 0.7, color="#e5e7eb")
    axis.plot(values, color=COLORS[0], linewidth=1.6, marker="o", markersize=2.5)
    axis.set_ylim(-0.05, 1.05)
    axis.axis("off")
    return figure


def comparison_plot(comparison: Comparison, runs: Sequence[Run]) -> Figure:
    """Left: held-out curves, mean and range over the seeds. Right: final success by family."""
    figure, axes = _figure(12, 4.6, columns=2)
    left, right = axes[0]
    scale = _millions(left, [m.env_steps for run in runs for m in run.heldout])
    for index, arm in enumerate(comparison.arms):
        color = COLORS[index % len(COLORS)]
        lines = [run.heldout for run in runs if run.arm == arm.name]
        label = f"{arm.name} ({len(lines)} run{'s' if len(lines) != 1 else ''})"
        x, mean, low, high = _band(lines)
        left.plot(x / scale, mean, color=color, linewidth=2, marker="o", markersize=3, label=label)
        left.fill_between(x / scale, low, high, color=color, alpha=0.15, linewidth=0)
        offset = 0.18 * (index - (len(comparison.arms) - 1) / 2)
        _family_intervals(right, arm.families, comparison.families, offset, color)
    left.set_ylim(*_success_limits(m.mean for run in runs for m in run.heldout))
    left.set_ylabel("held-out success")
    left.set_title("mean over the seeds; band: lowest to highest", fontsize=10)
    left.legend(frameon=False)
    right.set_yticks(range(len(comparison.families)), comparison.families)
    right.invert_yaxis()
    right.set_xlim(-0.02, 1.02)
    right.set_xlabel("final success")
    right.set_title("by family, with 95 % interval over the seeds", fontsize=10)
    return figure


def _band(lines: Sequence[Sequence[HeldOut]]) -> tuple[np.ndarray, ...]:
    """Mean, lowest and highest of several curves on the first one's grid of steps."""
    grid = np.array([m.env_steps for m in max(lines, key=len)], dtype=float)
    curves = np.array(
        [np.interp(grid, [m.env_steps for m in line], [m.mean for m in line]) for line in lines]
    )
    return grid, curves.mean(axis=0), curves.min(axis=0), curves.max(axis=0)


def _family_intervals(
    axis: Axes,
    values: Mapping[str, stats.Interval],
    families: Sequence[str],
    offset: float,
    color: str,
) -> None:
    for row, family in enumerate(families):
        y = row + offset
        interval = values[family]
        if np.isfinite(interval.low):
            axis.plot([interval.low, interval.high], [y, y], color=color, linewidth=2)
        axis.plot(interval.value, y, "o", color=color, markersize=4.5)

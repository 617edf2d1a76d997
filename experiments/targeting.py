"""Does the request steer? What a model was asked for against what its programs turned out to be."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import tyro

from experiments._cli import parse, run_command
from spade_jax.errors import UserError
from spade_jax.records import write_atomic
from spade_jax.report.targeting import Case, steering
from spade_jax.types import Stage

ABOUT = """\
Compare what was asked of a generator (skill, mechanism, direction of difficulty) with what its
programs are, as their play shows, and with what chance would give: the same requests dealt out at
random among the same programs. Looked at are programs that passed the gates (a collection) or that
were played at all (a run). Skills are verified anew; what a program declares does not count.

Examples:
  python -m experiments.targeting
  python -m experiments.targeting corpus runs/a/coevo --out results/generator/targeting.json
  python -m experiments.targeting asked/collection --json
"""


@dataclasses.dataclass(frozen=True)
class Options:
    sources: Annotated[tuple[str, ...], tyro.conf.Positional] = ("corpus",)
    """`corpus` (the bundled collection), a folder with receipts.jsonl, or a run folder."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Results as JSON; a table (.txt) and a figure (.png) come to stand beside it."""
    seed: int = 0
    """Of permutations and resamples."""
    json: bool = False
    """Print one JSON document."""


def main(argv: Sequence[str]) -> int:
    options, _ = parse(Options(), argv, prog="python -m experiments.targeting", about=ABOUT)
    found = {source: cases_of(source) for source in options.sources}
    for source, cases in found.items():
        if not cases:
            raise UserError(f"{source}: no program in it was asked for with a known aim")
    document = {source: steering(cases, options.seed) for source, cases in found.items()}
    text = "\n\n".join(table(source, told) for source, told in document.items())
    print(json.dumps(document, indent=1) if options.json else text)
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(options.out, json.dumps(_rounded(document), indent=1) + "\n")
        write_atomic(options.out.with_suffix(".txt"), text + "\n")
        from spade_jax.report.figures import targeting_plot

        figure = targeting_plot(document)
        figure.savefig(options.out.with_suffix(".png"), dpi=150, metadata={"Software": None})
    return 0


def cases_of(source: str) -> list[Case]:
    """What is known of the requests and programs of a collection or a run.

    Raises:
      UserError: there is no such thing, or it is damaged.
    """
    if source == "corpus":
        from spade_jax.generator.corpus import entries

        return [_of_receipt(e.receipt, e.source) for e in entries()]
    folder = Path(source)
    if (folder / "receipts.jsonl").is_file():
        from spade_jax.generator.corpus import read_receipts

        texts = folder / "programs"
        found = read_receipts(folder / "receipts.jsonl")
        missing = [name for name in found if not (texts / f"{name}.py").is_file()]
        if missing:
            raise UserError(f"{texts}/{missing[0]}.py is missing, and there is a receipt for it")
        return [
            _of_receipt(receipt, (texts / f"{name}.py").read_text(encoding="utf-8"))
            for name, receipt in found.items()
        ]
    if (folder / "events.jsonl").is_file():
        return _of_run(folder)
    raise UserError(
        f"{source} is neither `corpus`, nor a folder with receipts.jsonl, nor a run folder"
    )


def _of_receipt(receipt: Mapping[str, Any], source: str) -> Case:
    try:
        rates = receipt.get("triviality", {})
        success = {who: float(rates[who]) for who in ("random", "greedy") if who in rates}
        success["learner"] = float(receipt["probe"]["success"])
        aim, features = receipt["prompt"]["aim"], receipt["features"]
        return _case(str(receipt["name"]), aim, source, features, success, None)
    except (KeyError, TypeError) as error:
        what = f"{type(error).__name__}: {error}"
        raise UserError(f"receipt of {receipt.get('name')!r}: {what}") from None


def _of_run(folder: Path) -> list[Case]:
    from spade_jax.report.run_folder import read_run

    run = read_run(folder)
    cases = []
    for candidate in run.candidates:
        proposal, verdict = candidate["proposal"], candidate["verdict"]
        receipt = proposal["receipt"]
        aim = receipt.get("aim")
        if not isinstance(aim, Mapping) or not verdict["features"]:
            continue  # nobody asked, or it was never played
        asked = receipt.get("prompt", {}).get("aim")
        details = [s["detail"] for s in verdict["stages"] if s["name"] == Stage.TRIVIALITY]
        rates = details[0].get("rates", {}) if details else {}
        success = {who: float(rates[who]) for who in ("random", "greedy") if who in rates}
        if verdict["episodes"]:
            success["learner"] = verdict["successes"] / verdict["episodes"]
        parents = [
            float(e["mean"])
            for e in run.evaluations
            if e["program_hash"] in proposal["parents"][:1] and e["round"] < proposal["round"]
        ]
        cases.append(
            _case(
                str(proposal["id"]),
                asked if isinstance(asked, Mapping) else aim,
                proposal["source"],
                verdict["features"],
                success,
                parents[-1] if parents else None,
            )
        )
    return cases


def _case(
    name: str,
    aim: Mapping[str, Any],
    source: str,
    features: Iterable[float],
    success: Mapping[str, float],
    parent: float | None,
) -> Case:
    from envs_dsl import check
    from envs_dsl.skills import compare, evidence_of
    from spade_jax.generator.llm.prompt import mechanisms

    program = check(source).program
    if program is None:
        raise UserError(f"{name}: its text does not check")
    found = compare(program, evidence_of(program))
    return Case(
        name,
        str(aim["skill"]),
        str(aim.get("mechanism", "")),
        str(aim.get("direction", "")),
        tuple(found.verified),
        tuple(found.declared),
        mechanisms.having(tuple(features)),
        success,
        parent,
    )


def table(source: str, told: Mapping[str, Any]) -> str:
    """One source, as a person reads it."""
    lines = [f"{source}: {told['programs']} programs"]
    lines.append(f"{'':<26}{'as asked':>14}  {'share [95 %]':<20}{'by chance [95 %]':<20}p")
    for name, what in (
        ("skill, verified", "skill"),
        ("skill, declared", "declared"),
        ("mechanism (of one skill)", "mechanism"),
    ):
        if (row := told[what]) is not None:
            share = f"{row['share']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"
            chance = f"{row['chance']:.2f} [{row['chance_low']:.2f}, {row['chance_high']:.2f}]"
            lines.append(
                f"{name:<26}{row['hits']:>6} of {row['of']:<4}  {share:<20}{chance:<20}"
                f"{row['p']:.4f}"
            )
    lines.append("")
    lines.append(f"{'asked to be of':<26}{'as asked':>14}  {'share [95 %]':<20}of the others")
    for skill, row in told["by_skill"].items():
        share = f"{row['share']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"
        other = "–" if row["otherwise"] is None else f"{row['otherwise']:.2f}"
        lines.append(f"{skill:<26}{row['hits']:>6} of {row['of']:<4}  {share:<20}{other}")
    if any(row is not None for row in told["harder"].values()):
        lines += ["", "success where harder was asked for, less that of others of the same skill:"]
    for who, row in told["harder"].items():
        if row is not None:
            gap = f"{row['difference']:+.3f} [{row['low']:+.3f}, {row['high']:+.3f}]"
            lines.append(
                f"  {who:<24}{row['harder']:>6} of {row['of']:<4}  {gap:<40}{row['p']:.4f}"
            )
    for direction, row in (told["moves"] or {}).items():
        lines.append(
            f"changed, to be {direction}: {row['of']} programs, {row['harder']} came out harder, "
            f"{row['easier']} easier; the learner's success changed by {row['change']:+.3f}"
        )
    return "\n".join(lines)


def _rounded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _rounded(v) for k, v in value.items()}
    return round(value, 4) if isinstance(value, float) else value


if __name__ == "__main__":
    run_command(main)

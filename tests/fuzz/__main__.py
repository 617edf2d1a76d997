"""``python -m tests.fuzz --minutes N [--seed S] [--json] [--folder DIR]``.

Exit code 0 when nothing was found, 1 otherwise, 2 on wrong usage.
"""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
sys.dont_write_bytecode = True

MOST_GROWTH_MB = 600
"""Resident memory that a process may gain after its first half minute: caches are bounded."""


def main() -> int:
    args = _parser().parse_args()
    if args.worker:
        return _work(args)
    folder = pathlib.Path(args.folder)
    found: list[dict[str, str]] = []
    totals: collections.Counter[str] = collections.Counter()
    memory: list[float] = []
    start, seed = time.monotonic(), args.seed
    while True:
        left = args.minutes * 60 - (time.monotonic() - start)
        if left <= 0:
            break
        sizes = _supervise(args, seed, left, folder, found, totals)
        if len(sizes) > 1 and sizes[-1] - sizes[0] > MOST_GROWTH_MB:
            _tell(args, folder, found, {"finding": f"memory: {sizes[0]} to {sizes[-1]} MB"})
        memory += sizes
        seed += 1
    report = {
        "seed": args.seed,
        "minutes": round((time.monotonic() - start) / 60, 2),
        "inputs": sum(n for name, n in totals.items() if name.startswith("tried ")),
        "tried": _group(totals, "tried "),
        "accepted": _group(totals, "accepted "),
        "played": totals["played"],
        "judged": totals["judged"],
        "on_jax": totals["on_jax"],
        "resident_mb": {"first": memory[0], "last": memory[-1]} if memory else None,
        "findings": found,
    }
    print(json.dumps(report, indent=2) if args.json else _words(report))
    return 1 if found else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description="Try hostile and made-up programs on the language until the time is up.",
        epilog="examples:\n  python -m tests.fuzz --minutes 5\n"
        "  python -m tests.fuzz --minutes 30 --seed 7 --json > fuzz.json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=5.0, metavar="N", help="for how long (5)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of every choice (0)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument(
        "--jax", type=float, default=0.002, metavar="SHARE", help="of the accepted ones (0.002)"
    )
    default = str(pathlib.Path(tempfile.gettempdir()) / "spade_fuzz")
    parser.add_argument("--folder", default=default, metavar="DIR", help=f"findings ({default})")
    parser.add_argument("--worker", metavar="FILE", help=argparse.SUPPRESS)
    return parser


def _work(args: argparse.Namespace) -> int:
    """The child: findings and tallies as JSON lines."""
    from fuzz.trial import run, smaller

    for event in run(args.seed, args.minutes * 60, args.jax, pathlib.Path(args.worker)):
        if "finding" in event and not event["finding"].startswith("hang"):
            event["text"] = smaller(event["text"], event["finding"])
        print(json.dumps(event), flush=True)
    return 0


def _supervise(
    args: argparse.Namespace,
    seed: int,
    seconds: float,
    folder: pathlib.Path,
    found: list[dict[str, str]],
    totals: collections.Counter[str],
) -> list[float]:
    """Run one child for the time left, or until it dies; its resident memory, report by report."""
    with tempfile.TemporaryDirectory() as scratch:
        last = pathlib.Path(scratch) / "last.json"
        command = [sys.executable, "-m", "tests.fuzz", "--worker", str(last), "--seed", str(seed)]
        command += ["--minutes", str(seconds / 60), "--jax", str(args.jax)]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        tally: dict[str, Any] = {}
        sizes: list[float] = []
        try:
            for line in child.stdout:
                event = json.loads(line)
                if "finding" in event:
                    _tell(args, folder, found, event)
                else:
                    tally = event["tally"]
                    sizes.append(tally["resident_mb"])
                    if not args.json:
                        inputs = sum(tally["tried"].values())
                        print(f"  {inputs} inputs, {tally['resident_mb']} MB", file=sys.stderr)
        finally:
            child.terminate()
            code = child.wait()
        for name in ("tried", "accepted"):
            totals.update({f"{name} {kind}": n for kind, n in tally.get(name, {}).items()})
        totals.update({name: tally.get(name, 0) for name in ("played", "judged", "on_jax")})
        if code > 0 or (code < 0 and not tally):
            kind, text = json.loads(last.read_text(encoding="utf-8")) if last.exists() else ("", "")
            event = {"finding": f"crash: exit code {code}", "kind": kind, "text": text}
            _tell(args, folder, found, event)
            if not last.exists():
                raise SystemExit("error: the fuzzer itself does not start")
    return sizes


def _tell(
    args: argparse.Namespace,
    folder: pathlib.Path,
    found: list[dict[str, str]],
    event: dict[str, str],
) -> None:
    """Save a finding; of those that differ in numbers alone the first one counts."""
    what = event["finding"]
    kind = what.split(":")[0]  # an exception and its place, a hang, a crash
    key = re.sub(r"-?\d+(\.\d+)?(e-?\d+)?", "N", what if what.startswith("breach") else kind)
    if any(entry["key"] == key for entry in found):
        return
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"finding-{len(found):03d}.txt"
    path.write_bytes(event.get("text", "").encode("utf-8", "surrogatepass"))
    found.append({"key": key, "finding": what, "kind": event.get("kind", ""), "file": str(path)})
    if not args.json:
        print(f"FOUND {what[:200]} ({event.get('kind', '')}): {path}", file=sys.stderr)


def _group(totals: collections.Counter[str], prefix: str) -> dict[str, int]:
    return {k.removeprefix(prefix): n for k, n in sorted(totals.items()) if k.startswith(prefix)}


def _words(report: dict[str, Any]) -> str:
    tried = ", ".join(f"{n} by {kind}" for kind, n in report["tried"].items())
    lines = [
        f"{report['inputs']} inputs in {report['minutes']} minutes: {tried}",
        f"{sum(report['accepted'].values())} accepted, {report['played']} played, "
        f"{report['judged']} judged by the oracle, {report['on_jax']} compiled by JAX",
        f"{len(report['findings'])} findings",
    ]
    lines += [f"  {f['finding'][:200]}  {f['file']}" for f in report["findings"]]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

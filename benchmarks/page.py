"""Write the measured parts of docs/performance.md from the documents under results/bench/.

    python -m benchmarks.page [--results results/bench] [--page docs/performance.md]

Everything between ``<!-- begin NAME -->`` and ``<!-- end NAME -->`` is replaced: NAME is a
benchmark (its tables and plots) or ``bars`` (the bars of all of them). The rest of the page is
written by hand and stays. Plots go to ``images/`` beside the page.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import jinja2

from benchmarks.figures import bar_rows, columns, is_figures, number

__all__ = ["main", "render"]

BLOCK = re.compile(r"(<!-- begin (\w+) -->\n).*?(<!-- end \2 -->)", re.DOTALL)
ROOT = pathlib.Path(__file__).parents[1]


def render(page: str, documents: Mapping[str, Mapping[str, Any]], images: pathlib.Path) -> str:
    """The page with every block written anew; plots are put into the folder ``images``.

    Args:
      page: Markdown with the marks. documents: benchmark → its document.
      images: folder beside the page.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(pathlib.Path(__file__).with_name("templates")),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # Markdown
    )
    environment.filters |= {"label": _label, "figure": _figure, "cell": _cell}
    environment.globals |= {"bar_rows": bar_rows, "columns": columns, "is_figures": is_figures}
    template = environment.get_template("benchmark.md.j2")

    def block(found: re.Match[str]) -> str:
        begin, name, end = found.groups()
        if name == "bars":
            barred = [document for document in documents.values() if document["bars"]]
            text = template.render(documents=barred, summary=True, plots=[])
        else:
            chosen = [documents[name]] if name in documents else []
            plots = [plot for document in chosen for plot in _plots(document, images)]
            text = template.render(documents=chosen, summary=False, plots=plots)
        return f"{begin}\n{text.strip()}\n\n{end}"

    return BLOCK.sub(block, page)


def _label(column: str) -> str:
    return _cell(column.replace("_", " "))


def _figure(value: Any) -> str:
    return _cell(number(value))


def _cell(text: Any) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")


def _plots(document: Mapping[str, Any], images: pathlib.Path) -> list[dict[str, str]]:
    """Draw the plots of one benchmark; title and path, relative to the page, of each."""
    found = []
    for index, plot in enumerate(document["plots"]):
        rows = document["tables"].get(plot["table"], [])
        path = images / f"bench_{document['benchmark']}_{index}.png"
        if rows:
            images.mkdir(parents=True, exist_ok=True)
            _draw(plot, rows, path)
            found.append({"title": plot["title"], "path": f"{images.name}/{path.name}"})
    return found


def _draw(plot: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], path: pathlib.Path) -> None:
    """One plot into a PNG file."""
    from matplotlib.figure import Figure

    x, y, by = plot["x"], plot["y"], plot["by"]
    rows = [row for row in rows if row.get(x) is not None and row.get(y) is not None]
    series = dict.fromkeys(row.get(by) if by else None for row in rows)
    figure = Figure(figsize=(7, 3.5), layout="constrained")
    axes = figure.subplots()
    if plot.get("band"):
        low, high = plot["band"]
        for row in rows:
            axes.plot(row[x], row[y], label=str(row.get(by)))
            axes.fill_between(row[x], row[low], row[high], alpha=0.2)
        axes.set(xlabel=_label(x), ylabel=_label(y))
        axes.grid(alpha=0.3)
    elif is_figures(rows, x):
        for name in series:
            chosen = [row for row in rows if not by or row.get(by) == name]
            points = sorted((row[x], row[y]) for row in chosen)
            axes.plot(*zip(*points), marker="o", label=None if name is None else str(name))
        if plot["log"]:
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
        axes.set(xlabel=_label(x), ylabel=_label(y))
        axes.grid(alpha=0.3)
    else:
        groups = list(dict.fromkeys(row[x] for row in rows))
        height = 0.8 / max(len(series), 1)
        for k, name in enumerate(series):
            chosen = [row for row in rows if not by or row.get(by) == name]
            places = [groups.index(row[x]) + k * height for row in chosen]
            label = None if name is None else str(name)
            axes.barh(places, [row[y] for row in chosen], height, label=label)
        middle = (len(series) - 1) * height / 2
        axes.set_yticks([i + middle for i in range(len(groups))], [str(g) for g in groups])
        axes.invert_yaxis()
        if plot["log"]:
            axes.set_xscale("log")
        axes.set(xlabel=_label(y))
        axes.grid(axis="x", alpha=0.3)
    if by:
        axes.legend(fontsize="small")
    axes.set_title(plot["title"], fontsize="medium")
    figure.savefig(path, dpi=110, metadata={"Software": None})


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; 2 where a file is missing or no document."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.page",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "results" / "bench")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs" / "performance.md")
    options = parser.parse_args(argv)
    if not options.page.is_file():
        parser.error(f"no page {options.page}")
    documents: dict[str, Any] = {}
    for path in sorted(options.results.glob("*.json")):
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            documents[document["benchmark"]] = document
        except (ValueError, KeyError, TypeError):
            parser.error(f"{path} is no document of a benchmark")
    before = options.page.read_text(encoding="utf-8")
    after = render(before, documents, options.page.parent / "images")
    options.page.write_text(after, encoding="utf-8")
    blocks = len(BLOCK.findall(before))
    print(f"{options.page}: {blocks} blocks from {len(documents)} benchmarks")
    return 0


if __name__ == "__main__":
    sys.exit(main())

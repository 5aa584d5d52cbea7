#!/usr/bin/env python3
"""Brings the ladder's pages and pictures up to date with what was measured and recorded.

    docs/ladder/update.py            writes them
    docs/ladder/update.py --check    says which are not up to date, with exit status 1

results.json (samples/run ladder --bench --json, and ncu) makes ladder.svg and each table between
`<!-- NAME -->` and `<!-- /NAME -->` of the pages; trace.json makes the picture of each version.
"""

import argparse
import json
import os
import re
import sys
import textwrap

import draw
import plot

HERE = os.path.dirname(os.path.abspath(__file__))
VERSIONS = ("v0", "v1", "v2", "v3", "v4", "v5")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def shown(value, digits=0, unit=""):
    return "not measured" if value is None else f"{value:.{digits}f}{unit}"


def error_of(line):
    value = line.get("relative_error")
    return "not measured" if value is None else f"{value:.1e}"


def configuration_of(line):
    c = line["configuration"]
    stages = "1 stage" if c["stages"] == 1 else f"{c['stages']} stages"
    raster = f", raster {c['raster']}" if c.get("raster") else ""
    return f"{c['block_m']} x {c['block_n']} x {c['block_k']}, {stages}{raster}"


def original_of(original, version):
    tflops = original["tflops"][version]
    return "{} ({:.2f})".format("-".join(map(str, tflops)),
                                plot.original_ratio(original, version))


def table(rows):
    head, *body = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([head, "|" + " --- |" * len(rows[0]), *body]) + "\n"


ROWS = (
    ("configuration", configuration_of),
    ("TFLOPS", lambda line: shown(line["tflops"])),
    ("ratio to cuBLAS", lambda line: shown(line["ratio"], 3)),
    ("tensor pipe busy", lambda line: shown(line.get("tensor_pipe_percent"), 1, " %")),
    ("DRAM throughput", lambda line: shown(line.get("dram_percent"), 1, " %")),
    ("SM clock", lambda line: shown(line.get("sm_clock_mhz"), 0, " MHz")),
    ("relative error", error_of),
)


def measured_table(results, original, version):
    """A version after the one before."""
    lines = {line["version"]: line for line in results["versions"]}
    names = VERSIONS[max(VERSIONS.index(version) - 1, 0):VERSIONS.index(version) + 1]
    rows = [["", *names]]
    for name, value in ROWS:
        rows.append([name, *(value(lines[line]) for line in names)])
    rows.append([f"original, {original['gpu']}: TFLOPS (ratio)",
                 *(original_of(original, name) for name in names)])
    return table(rows) + caption(results)


def caption(results):
    size, vendor = results["problem"], results["vendor_tflops"]
    note = f" {results['note']}" if results.get("note") else ""
    words = (f"{results['gpu']}, driver {results['driver']}, {results['date']}; "
             f"{size['m']} x {size['n']} x {size['k']}, cuBLAS {shown(vendor)} TFLOPS.{note}")
    return "\n" + textwrap.fill(words, 100, break_on_hyphens=False) + "\n"


def ladder_table(results, original):
    rows = [["version", "configuration", "TFLOPS", "ratio", "tensor pipe", "DRAM",
             f"original, {original['gpu']}"]]
    for line in results["versions"]:
        version = line["version"]
        rows.append([f"[{version}]({version}.md)", configuration_of(line),
                     shown(line["tflops"]), shown(line["ratio"], 3),
                     shown(line.get("tensor_pipe_percent"), 1, " %"),
                     shown(line.get("dram_percent"), 1, " %"), original_of(original, version)])
    return table(rows) + caption(results)


def with_tables(page, tables):
    """The page with every table that it has a place for."""
    found = 0
    for name, text in tables.items():
        page, count = re.subn(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)",
                              lambda match, text=text: f"{match[1]}\n{text}\n{match[2]}",
                              page, flags=re.DOTALL)
        found += count
    return page, found


def made(folder):
    """(file name, what it should hold)."""
    results = json.loads(read(folder, "results.json"))
    original = json.loads(read(folder, "original.json"))
    traces = json.loads(read(folder, "trace.json"))
    if tuple(line["version"] for line in results["versions"]) != VERSIONS:
        raise ValueError(f"results.json does not have just the versions {', '.join(VERSIONS)}")
    yield "ladder.svg", plot.plot(results, original)
    for version in VERSIONS:
        yield f"{version}.svg", draw.draw(version, traces[version])
    tables = {f"measured {version}": measured_table(results, original, version)
              for version in VERSIONS}
    tables["ladder"] = ladder_table(results, original)
    for name in ("README.md", *(f"{version}.md" for version in VERSIONS)):
        page, found = with_tables(read(folder, name), tables)
        if found != 1:
            raise ValueError(f"{name} has {found} places for a table, not 1")
        yield name, page


def stale_files(folder):
    """(file name, what it should hold) of each that holds something else."""
    for name, text in made(folder):
        path = os.path.join(folder, name)
        if not os.path.exists(path) or read(path) != text:
            yield name, text


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="change nothing; fail if it would")
    check = parser.parse_args(arguments).check
    stale = list(stale_files(HERE))
    for name, text in stale:
        if check:
            print(f"docs/ladder/{name} is not up to date: run docs/ladder/update.py")
        else:
            with open(os.path.join(HERE, name), "w", encoding="utf-8") as file:
                file.write(text)
            print(f"docs/ladder/{name}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

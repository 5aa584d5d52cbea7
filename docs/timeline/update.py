#!/usr/bin/env python3
"""Makes the tables of docs/timeline.md, and its pictures of the virtual clock.

    docs/timeline/update.py BUILD            writes them, with the samples of that build folder
    docs/timeline/update.py BUILD --check    says which are not up to date, with exit status 1

Each kernel runs on the simulator's virtual clock: what one SM (for clusters, four) has to do of a
matmul of 4096 x 4096 x 4096 on 132 SMs. measured.json has what was measured on a GPU: ncu's numbers
and what recording costs. The pictures *_h200.svg are as warpline_timeline_on_gpu wrote them there.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(os.path.dirname(HERE), "timeline.md")
SMS = 132
SIZE = 4096
PICTURES = ("v2", "v3", "v5", "cooperative")


def ladder(version, tile_n, *more):
    # v1 and v2 are compiled to 154 registers: three CTAs fit an SM, more than they ask for.
    return {"sample": "ladder", "tile": (128, tile_n), "sms": 1,
            "arguments": ["--version", version, "--block-m", "128", "--block-n", str(tile_n),
                          "--block-k", "64", *more]}


KERNELS = {
    "v1": ladder("v1", 128, "--stages", "1", "--trace-ctas-per-sm", "3"),
    "v2": ladder("v2", 128, "--stages", "2", "--trace-ctas-per-sm", "3"),
    "v3": ladder("v3", 128, "--stages", "2"),
    "v4": ladder("v4", 128, "--stages", "6"),
    "v5": ladder("v5", 256, "--stages", "4"),
    "cooperative": {"sample": "matmul", "tile": (128, 256), "sms": 4,
                    "arguments": ["--kernel", "cooperative"]},
}


def share(kernel):
    """Tiles for each SM: the fullest SM's, in rows and columns of C; and how full all are."""
    tile_m, tile_n = kernel["tile"]
    tiles = (SIZE // tile_m) * (SIZE // tile_n)
    each = -(-tiles // SMS)
    rows = {1: {8: 2, 4: 2}, 4: {4: 4}}[kernel["sms"]][each]
    return rows * tile_m, each * kernel["sms"] // rows * tile_n, tiles / (each * SMS)


def run(build, name, folder):
    kernel = KERNELS[name]
    m, n, full = share(kernel)
    picture = os.path.join(folder, f"{name}.svg")
    summary = os.path.join(folder, f"{name}.json")
    subprocess.run([os.path.join(build, "samples", "warpline_sample_" + kernel["sample"]),
                    "--target", "simulator", "--m", str(m), "--n", str(n), "--k", str(SIZE),
                    "--trace", picture, "--trace-summary", summary,
                    "--trace-sms", str(kernel["sms"]), *kernel["arguments"]],
                   check=True, stdout=subprocess.DEVNULL)
    with open(summary, encoding="utf-8") as file:
        found = json.load(file)
    with open(picture, encoding="utf-8") as file:
        drawn = file.read()
    return found, drawn, found["tensor_busy_share"] * full


def table(results, measured):
    lines = ["| kernel | busy, predicted | busy, ncu | difference | costliest bubble, and the gain "
             "without |", "| --- | --- | --- | --- | --- |"]
    for name, (summary, _, busy) in results.items():
        bubble = next(kind for kind in summary["bubbles"]
                      if kind["cause"] not in ("the first CTA starts", "the last CTA ends"))
        ncu = measured.get(name)
        lines.append(f"| {name} | {busy * 100:.1f} % | "
                     + ("not measured | " if ncu is None else f"{ncu:.1f} % | ")
                     + ("" if ncu is None else f"{busy * 100 - ncu:+.1f}")
                     + f" | {bubble['cause']}: {bubble['predicted_gain'] * 100:.1f} % |")
    return "\n".join(lines) + "\n"


def recording(measured):
    lines = ["| kernel | M = N = K | plain | compiled with timelines | recorded | quartiles |",
             "| --- | --- | --- | --- | --- | --- |"]
    for row in measured["percent"]:
        low, high = row["recorded_quartiles"]
        lines.append(f"| {row['kernel']} | {row['size']} | {row['milliseconds']:.4f} ms | "
                     f"{row['idle']:+.2f} % | {row['recorded']:+.2f} % | "
                     f"{low:+.2f} to {high:+.2f} % |")
    return "\n".join(lines) + "\n"


def replaced(text, name, part):
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    before, rest = text.split(begin)
    return before + begin + part + end + rest.split(end)[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = {name: run(arguments.build, name, folder) for name in KERNELS}
    with open(os.path.join(HERE, "measured.json"), encoding="utf-8") as file:
        measured = json.load(file)
    with open(PAGE, encoding="utf-8") as file:
        page = replaced(file.read(), "predicted", table(results, measured["tensor_pipe_percent"]))
    page = replaced(page, "recording", recording(measured["recording"]))
    wanted = {PAGE: page}
    for name in PICTURES:
        wanted[os.path.join(HERE, f"{name}.svg")] = results[name][1]
    stale = []
    for path, text in wanted.items():
        old = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                old = file.read()
        if old != text:
            stale.append(os.path.relpath(path))
            if not arguments.check:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
    for path in stale:
        print(("not up to date: " if arguments.check else "written: ") + path)
    return 1 if arguments.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Makes the table of winners of sweeps: measured_choices.py RESULTS.json... > measured_choices.inc

RESULTS are files of `samples/run bench matmul --sweep --json`, whose A is row-major and B
column-major. Of each type and shape the fastest correct candidate of the last contest is taken, but
none that adds partial sums in any order, since the table is for all calls; of several sweeps of a
shape, the latest.
"""

import json
import re
import sys

# PreparedMatmul::choice().
CHOICE = re.compile(r"(\w+)(?:, exchanged)?, splits (\d+|stream), raster (\d+|hilbert): ")


def winner(row):
    candidates = [c for c in row["candidates"] if not c.get("complaint") and c["stages"] > 0
                  and "added in any order" not in c["choice"]]
    if not candidates:
        return None
    last = max(c["stages"] for c in candidates)
    best = min((c for c in candidates if c["stages"] == last), key=lambda c: c["milliseconds"])
    found = CHOICE.match(best["choice"])
    if not found:
        sys.exit(f"cannot read the choice '{best['choice']}'")
    return found.groups()


def main(paths):
    latest = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
        if results.get("format") != "warpline bench matmul" or results.get("version") != 1:
            sys.exit(f"{path} holds no results of bench matmul, version 1")
        for row in results["rows"]:
            key = row["key"]
            if key.get("kind") != "sweep":
                continue
            shape = (key["type"], key["m"], key["n"], key["k"])
            if shape not in latest or latest[shape]["date"] < row["date"]:
                latest[shape] = row
    print("// By measured_choices.py: type, A and B row-major, M, N, K, kernel, splits, raster.")
    for (element, m, n, k), row in sorted(latest.items()):
        found = winner(row)
        if found:
            name, splits, raster = found
            splits = {"stream": "stream_k"}.get(splits, splits)
            raster = {"hilbert": "hilbert_raster"}.get(raster, raster)
            print(f'{{{element}, true, false, {m}, {n}, {k}, "{name}", {splits}, {raster}}},')


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])

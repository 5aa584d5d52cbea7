#!/usr/bin/env python3
"""Measures the ladder on a GPU as its pages quote it, and makes results.json of it.

    docs/ladder/measure.py run PROGRAM FOLDER [--processes N] [--pairs N] [--no-ncu] [-- OPTION ...]
    docs/ladder/measure.py results FOLDER

`run`: PROGRAM is the built sample (build/default/samples/warpline_sample_ladder). Each process
times all versions pair by pair with cuBLAS, in the configurations that were tuned, or that OPTIONs
name. Then ncu profiles one launch of each version. FOLDER gets a file of each process when it ends.
8192 cubed, 51 pairs, 3 processes: 100 s.

`results` takes the medians of the processes into docs/ladder/results.json; then run
docs/ladder/update.py.
"""

import argparse
import csv
import glob
import io
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
METRICS = {
    "tensor_pipe_percent": "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    "dram_percent": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
}
VERSIONS = ("v0", "v1", "v2", "v3", "v4", "v5")


def profiled(output):
    """What ncu says of the versions' launches, in their order."""
    table = [line for line in output.splitlines() if line.startswith('"')]
    # The line below the names has units.
    rows = list(csv.DictReader(io.StringIO("\n".join(table))))[1:]
    if len(rows) != len(VERSIONS):
        raise ValueError(f"ncu: {len(rows)} launches, not one of each of {len(VERSIONS)} versions: "
                         f"{output.strip()[-300:]}")
    return {version: {name: round(float(row[metric]), 1) for name, metric in METRICS.items()}
            for version, row in zip(VERSIONS, rows)}


def profile(program, options):
    """One launch of each version under ncu: what the program does if it is not told to --bench."""
    command = ["ncu", "--clock-control", "none", "--kernel-name", "regex:kernel_entry", "--csv",
               "--page", "raw", "--metrics", ",".join(METRICS.values()), program, *options]
    return profiled(subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, timeout=180, check=False).stdout)


def run(arguments):
    os.makedirs(arguments.folder, exist_ok=True)
    for process in range(1, arguments.processes + 1):
        path = os.path.join(arguments.folder, f"process-{process}.json")
        subprocess.run([arguments.program, "--bench", "--pairs", str(arguments.pairs), "--json",
                        path, *arguments.options], check=True)
    if not arguments.no_ncu:
        found = profile(arguments.program, arguments.options)
        with open(os.path.join(arguments.folder, "ncu.json"), "w", encoding="utf-8") as file:
            json.dump(found, file, indent=2)
        for version, line in found.items():
            print(f"{version}: ncu: {line}", flush=True)
    return 0


def merged(processes, ncu):
    """Medians of the processes, as results.json has them."""
    first = processes[0]
    versions = []
    for index, line in enumerate(first["versions"]):
        lines = [process["versions"][index] for process in processes]
        for other in lines:
            if other["configuration"] != line["configuration"]:
                raise ValueError(f"{line['version']}: the processes ran different configurations")
            if not other["correct"]:
                raise ValueError(f"{line['version']}: a result is wrong")
        ratios = [other["ratio"] for other in lines]
        versions.append({
            "version": line["version"],
            "configuration": line["configuration"],
            "tflops": round(statistics.median(other["tflops"] for other in lines), 1),
            "ratio": round(statistics.median(ratios), 3),
            "spread": round(max(ratios) - min(ratios), 3),
            "sm_clock_mhz": statistics.median_low(other["sm_clock_mhz"] for other in lines),
            "relative_error": max(other["relative_error"] for other in lines),
            **ncu.get(line["version"], {})})
    return {"gpu": first["gpu"], "driver": first["driver"], "problem": first["problem"],
            "date": first["date"],
            "vendor_tflops": round(statistics.median(process["vendor_tflops"]
                                                     for process in processes), 1),
            "versions": versions}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def results(arguments):
    processes = [load(path) for path in
                 sorted(glob.glob(os.path.join(arguments.folder, "process-*.json")))]
    if not processes:
        raise SystemExit(f"{arguments.folder} has no process-*.json")
    path = os.path.join(arguments.folder, "ncu.json")
    made = merged(processes, load(path) if os.path.exists(path) else {})
    with open(os.path.join(HERE, "results.json"), "w", encoding="utf-8") as file:
        json.dump(made, file, indent=2)
        file.write("\n")
    for line in made["versions"]:
        print(f"{line['version']}: {line['ratio']:.3f} (spread {line['spread']:.3f})")
    return 0


def main(words):
    options = []
    if "--" in words:
        words, options = words[:words.index("--")], words[words.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    commands = parser.add_subparsers(required=True)
    running = commands.add_parser("run")
    running.add_argument("program")
    running.add_argument("folder")
    running.add_argument("--processes", type=int, default=3)
    running.add_argument("--pairs", type=int, default=51)
    running.add_argument("--no-ncu", action="store_true")
    running.set_defaults(function=run)
    merging = commands.add_parser("results")
    merging.add_argument("folder")
    merging.set_defaults(function=results)
    arguments = parser.parse_args(words)
    arguments.options = options
    return arguments.function(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

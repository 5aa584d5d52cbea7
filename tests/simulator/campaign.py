#!/usr/bin/env python3
"""Long runs of the simulator, in pieces, on as many processes as there are cores.

    campaign.py run FOLDER [--out FILE] [--processes N] [--budget SECONDS] [--only GROUP ...]
                    [--shortest-first]
    campaign.py mutants FILE
    campaign.py summary FILE

`run` takes the programs in FOLDER (build/simulator/samples). Groups, in this order:

    mutants    samples/run mutate for each kernel and configuration that it knows
    schedules  1,000 schedules, all policies in turns, of each configuration of the ladder that is
               built, of pipeline_alone, and of the kernels of matmul's call, of rows and reductions
    shapes     200 schedules for every shape of `ladder --shapes all`, of each configuration; v4
               and v5 with a raster of two rows of tiles
    rasters    the same for v4 and v5 with a raster of four, which is that of all wider ones: no
               shape has more than four rows of tiles

Each piece is a process. When it ends, a line goes to FILE (campaign.jsonl), so that a run can be
ended (--budget does) and taken up again: pieces that FILE has are not run again.

`mutants` prints the table of docs/mutation.md, a line for configurations with the same numbers,
`summary` what is done and what is not.
"""

import argparse
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

GROUPS = ("mutants", "schedules", "shapes", "rasters")
# The sets of --shapes all: share of the work, and parts, so that no piece takes many minutes.
SHAPES = {"random": (0.45, 8), "squares": (0.25, 4), "tails": (0.2, 4), "stages": (0.08, 1),
          "empty": (0.02, 1)}
# Families that only `mutate` runs under many schedules: written after the simulator's checks.
LATER = ("persistent", "ping_pong", "softmax", "rms_norm", "layer_norm", "reduce")
SHARED = ["--target", "simulator", "--policy", "all"]
MUTANTS_ROW = re.compile(r"(\S+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +([\d.]+) %")


def lines_of(command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          check=True).stdout.splitlines()


def configurations(ladder):
    """(version, block_m, block_n, block_k, stages) of each that is built."""
    for line in lines_of([ladder, "--list", "--target", "simulator"]):
        match = re.match(r"v(\d) +(\d+) x +(\d+) x +(\d+)((?: +\d+)+)$", line)
        if match:
            *values, stages = match.groups()
            for count in stages.split():
                yield (*map(int, values), int(count))


def options_of(configuration):
    version, *values = configuration
    names = ("--block-m", "--block-n", "--block-k", "--stages")
    return ["--version", f"v{version}"] + [str(word) for pair in zip(names, values)
                                           for word in pair]


def name_of(configuration):
    version, m, n, k, stages = configuration
    return f"v{version} {m}x{n}x{k}/{stages}"


def pieces(folder):
    """(group, name, command, estimated cost) of each."""
    program = {name: os.path.join(folder, f"warpline_sample_{name}")
               for name in ("mutate", "ladder", "pipeline_alone")}
    for kernel in lines_of([program["mutate"], "--list", "--all"]):
        # Larger tiles and rings take longer; the cooperative kernel takes minutes.
        numbers = [int(number) for number in re.findall(r"\d+", kernel.split("/", 1)[-1])] or [1]
        cost = sum(numbers) * (100 if kernel.startswith("cooperative") else 1)
        yield "mutants", kernel, [program["mutate"], "--kernel", kernel], cost
        if kernel.startswith(LATER):
            yield ("schedules", kernel, [program["mutate"], "--unchanged", "--schedules", "1000",
                                         "--kernel", kernel], cost)
    yield ("schedules", "pipeline_alone",
           [program["pipeline_alone"], *SHARED, "--schedules", "1000"], 1)
    for configuration in configurations(program["ladder"]):
        version, m, n, k, _ = configuration
        name = name_of(configuration)
        command = [program["ladder"], *SHARED, *options_of(configuration)]
        yield ("schedules", name, [*command, "--m", "72", "--n", "136", "--k", "200",
                                   "--schedules", "1000"], m * n)
        for group, raster in (("shapes", 2), ("rasters", 4)):
            if group == "rasters" and version < 4:
                continue
            rows = ["--raster", str(raster)] if version >= 4 else []
            for shapes, (share, parts) in SHAPES.items():
                for part in (f"{number}/{parts}" for number in range(1, parts + 1)):
                    yield (group, f"{name} {shapes}" + (f" {part}" if parts > 1 else ""),
                           [*command, *rows, "--shapes", shapes, "--part", part, "--schedules",
                            "200"], share / parts * (m + n) * 64 / k * (3 if version == 0 else 1))


def read(path):
    """Results by group and name; of a piece that was run twice the last."""
    results = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                result = json.loads(line)
                results[result["group"], result["name"]] = result
    return results


def first_of_each_version(wanted):
    """The cheapest configuration of each version of the ladder, as ["v4", "128x64x64/4"]."""
    cheapest = {}
    for _, name, _, cost in sorted(wanted, key=lambda piece: piece[3]):
        if re.match(r"v\d ", name):
            version, configuration = name.split(" ")[:2]
            cheapest.setdefault(version, [version, configuration])
    return list(cheapest.values())


class Run:
    def __init__(self, arguments):
        self.arguments = arguments
        self.end = time.monotonic() + arguments.budget
        self.lock = threading.Lock()

    def run(self, piece):
        group, name, command, _ = piece
        begin = time.monotonic()
        if begin >= self.end:
            return
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", start_new_session=True) as process:
            try:
                output = process.communicate(timeout=self.end - begin)[0]
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return
        seconds = round(time.monotonic() - begin, 1)
        result = {"group": group, "name": name, "status": process.returncode, "seconds": seconds,
                  "command": [os.path.basename(command[0]), *command[1:]],
                  "output": output.splitlines()[-12:]}
        with self.lock:
            with open(self.arguments.out, "a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
            said = result["output"][-1] if result["output"] else ""
            print(f"{group}: {name}: {'ok' if process.returncode == 0 else 'FAILED'}, "
                  f"{seconds} s: {said}", flush=True)


def run(arguments):
    work = Run(arguments)
    known = read(arguments.out)
    wanted = [piece for piece in pieces(arguments.folder) if piece[0] in arguments.only]
    todo = [piece for piece in wanted if piece[:2] not in known]
    # Of a group first one configuration of each version; the longest first, so that none is left
    # for the end, unless there is no time for all of them anyway.
    order = 1 if arguments.shortest_first else -1
    first = first_of_each_version(wanted)
    todo.sort(key=lambda piece: (GROUPS.index(piece[0]), piece[1].split(" ")[:2] not in first,
                                 order * piece[3]))
    with concurrent.futures.ThreadPoolExecutor(arguments.processes) as pool:
        for job in [pool.submit(work.run, piece) for piece in todo]:
            job.result()
    return report(wanted, read(arguments.out))


def report(wanted, results):
    """Says how much is done; 1 if something failed."""
    status = 0
    for group in GROUPS:
        names = [name for its, name, _, _ in wanted if its == group]
        if not names:
            continue
        done = [results[group, name] for name in names if (group, name) in results]
        failed = [result["name"] for result in done if result["status"] != 0]
        left = [name for name in names if (group, name) not in results]
        print(f"{group}: {len(done)} of {len(names)} pieces done, {len(failed)} failed, "
              f"{sum(result['seconds'] for result in done):.0f} s")
        for what, some in (("failed", failed), ("not done", left)):
            if some:
                print(f"  {what}: " + "; ".join(some))
        status = status or int(bool(failed))
    return status


def summary(arguments):
    results = read(arguments.file)
    return report([(*key, None, 0) for key in results], results)


def mutants(arguments):
    print("| kernel | sites | mutants | reported | equivalent | wrong | survived | score |")
    print("| --- " * 8 + "|")
    results = read(arguments.file)
    alike = {}  # of one family
    for group, name in sorted(results, key=naturally):
        if group == "mutants":
            rows = [match for match in map(MUTANTS_ROW.match, results[group, name]["output"])
                    if match and match[1] == name]
            cells = rows[0].groups()[1:] if rows else ("failed",) + ("",) * 6
            alike.setdefault((name.split("/")[0], cells), []).append(f"`{name}`")
    for (_, cells), names in alike.items():
        some = (", ".join(names) if len(names) < 4 else
                f"{names[0]} to {names[-1]}, each of {len(names)}")
        print(f"| {some} | " + " | ".join(cells) + (" |" if cells[0] == "failed" else " % |"))
    return 0


def naturally(key):
    """Numbers by their value: .../4 before .../16."""
    return [(int(part), "") if part.isdigit() else (-1, part)
            for part in re.split(r"(\d+)", key[1])]


def main(words):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    commands = parser.add_subparsers(required=True)
    running = commands.add_parser("run")
    running.add_argument("folder")
    running.add_argument("--out", default="campaign.jsonl")
    running.add_argument("--processes", type=int, default=os.cpu_count())
    running.add_argument("--budget", type=float, default=10 * 3600.0)
    running.add_argument("--shortest-first", action="store_true",
                         help="for a budget that is too small for all")
    running.add_argument("--only", nargs="+", choices=GROUPS, default=GROUPS)
    running.set_defaults(function=run)
    for name, function in (("mutants", mutants), ("summary", summary)):
        printing = commands.add_parser(name)
        printing.add_argument("file")
        printing.set_defaults(function=function)
    arguments = parser.parse_args(words)
    return arguments.function(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

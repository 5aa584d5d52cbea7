#!/usr/bin/env python3
"""The faults of the catalogue under compute-sanitizer, beside what the simulator says of them.

    sanitizer_table.py run PROGRAM [--out FOLDER] [--jobs N] [--limit SECONDS] [--with WHAT ...]
                       [--no-twins]
    sanitizer_table.py table [--check]

`run` needs a GPU, compute-sanitizer in the PATH, and PROGRAM (warpline_fault_on_gpu, built). Each
fault runs alone and under memcheck, racecheck, synccheck and initcheck, and so does its correct
twin. The results go to FOLDER/sanitizer.json (docs/faults unless it is said otherwise). Some of it
at a time: `--with native memcheck` adds those two to what the file has. `--no-twins` leaves the
twins out.

`table` writes what docs/faults/sanitizer.json has into docs/faults.md, between its markers; with
--check it only says whether that was done.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
RESULTS = os.path.join(ROOT, "docs", "faults", "sanitizer.json")
PAGE = os.path.join(ROOT, "docs", "faults.md")
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
BEGIN, END = "<!-- catalogue -->", "<!-- /catalogue -->"


def finish(command, limit):
    """(output, exit status) of a command, or (output, None) if it had to be ended."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", start_new_session=True) as process:
        try:
            return process.communicate(timeout=limit)[0], process.returncode
        except subprocess.TimeoutExpired:
            # The tool's child, too: the session is ours.
            os.killpg(process.pid, 9)
            return process.communicate()[0], None


def last_line(output):
    lines = [line for line in output.splitlines() if line.strip() and not line.startswith("=")]
    return lines[-1].strip() if lines else ""


def native(program, name, limit):
    output, status = finish([program, name], limit)
    if status is None:
        return "no answer"
    line = last_line(output)
    if line in ("right", "wrong"):
        return line
    return line if line.startswith("error: ") else f"error: ended with status {status}"


SUMMARY = re.compile(r"(ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard)")
MESSAGE = re.compile(r"^=+ +((?:Invalid|Error|Warning|Barrier|Uninitialized|Race|Misaligned|"
                     r"Divergent|Missing|Program hit|Out-of-range).*)", re.MULTILINE)


def judge(output, status):
    """What a tool says: how much it reports, and its first message."""
    if status is None:
        return {"verdict": "no answer", "says": ""}
    summary = SUMMARY.search(output)
    first = MESSAGE.search(output)
    says = re.sub(r"0x[0-9a-f]+", "0x...", first.group(1)).strip()[:160] if first else ""
    if summary is None:
        return {"verdict": "died", "says": says or f"status {status}"}
    count = int(summary.group(2) or summary.group(3))
    return {"verdict": str(count) if count else "nothing", "says": says}


def under(tool, program, name, which, limit):
    output, status = finish(["compute-sanitizer", "--tool", tool, "--print-limit", "5", program,
                             name, which], limit)
    return judge(output, status)


def listed(program):
    """(name, rule, why it is not run) of each fault."""
    output = subprocess.run([program, "--list"], stdout=subprocess.PIPE, text=True,
                            check=True).stdout
    return [line.split("\t") for line in output.splitlines()]


def earlier(path):
    """The results that a file has."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)["faults"]


def run(arguments):
    faults = listed(arguments.program)
    path = os.path.join(arguments.out, "sanitizer.json")
    known = earlier(path)
    results = {name: {**known.get(name, {}), "rule": rule} for name, rule, _ in faults}
    jobs = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name, _, reason in faults:
            if reason:
                results[name]["not_on_gpu"] = reason
                continue
            if "native" in arguments.what:
                job = pool.submit(native, arguments.program, name, arguments.limit)
                jobs[job] = (name, "native")
            for tool in [tool for tool in TOOLS if tool in arguments.what]:
                for which in ("--alone",) if arguments.no_twins else ("--alone", "--twin"):
                    job = pool.submit(under, tool, arguments.program, name, which, arguments.limit)
                    jobs[job] = (name, tool if which == "--alone" else f"twin {tool}")
        for job in concurrent.futures.as_completed(jobs):
            name, what = jobs[job]
            results[name][what] = job.result()
            print(f"{name}: {what}: {job.result()}", flush=True)
    version = finish(["compute-sanitizer", "--version"], arguments.limit)[0]
    number = re.search(r"Version ([\d.]+)", version)
    gpu = finish(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                 arguments.limit)[0].strip()
    os.makedirs(arguments.out, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"compute-sanitizer": number.group(1) if number else "?", "gpu": gpu,
                   "limit": arguments.limit, "jobs": arguments.jobs, "faults": results},
                  file, indent=1, sort_keys=True)
        file.write("\n")
    return 0


def catalogue():
    """(name, rule, how the simulator finds it) of each fault, from the sources."""
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "registry.h"), encoding="utf-8") as file:
        families = re.findall(r"> (\w+)_faults\(\);", file.read())
    for family in families:
        with open(os.path.join(folder, f"{family}.h"), encoding="utf-8") as file:
            text = file.read()
        for info in re.findall(r"FaultInfo info\{(.*?)\};", text, re.DOTALL):
            rules = re.findall(r"\.rule\s*=\s*\"([^\"]+)\"", info)
            name = re.search(r"\.name\s*=\s*\"([^\"]+)\"", info).group(1)
            how = "every schedule, strict" if ".strict = true" in info else "every schedule"
            yield family, name, rules, how


def cell(result):
    if result is None:
        return "not yet measured"
    if isinstance(result, str):
        return "launch fails" if result.startswith("error: ") else result
    return result["verdict"]


def twin(result):
    """What the tools say of the correct twin."""
    found = [f"{tool}: {result[f'twin {tool}']['verdict']}" for tool in TOOLS
             if result.get(f"twin {tool}", {"verdict": "nothing"})["verdict"] != "nothing"]
    return "; ".join(found) or ("nothing" if f"twin {TOOLS[0]}" in result else "not yet measured")


def table():
    results = {}
    head = ["Not yet measured on a GPU.", ""]
    if os.path.exists(RESULTS):
        with open(RESULTS, encoding="utf-8") as file:
            measured = json.load(file)
        results = measured["faults"]
        head = [f"GPU: {measured['gpu']}; compute-sanitizer {measured['compute-sanitizer']}; "
                f"{measured['limit']:g} seconds each, {measured['jobs']} at a time.", ""]
    lines = head + ["| fault | in | rule | simulator | on the GPU | " + " | ".join(TOOLS)
                    + " | tools on the twin |", "| --- " * (6 + len(TOOLS)) + "|"]
    for family, name, rules, how in catalogue():
        result = results.get(name, {})
        rule = " or ".join(f"`{rule}`" for rule in rules)
        if "not_on_gpu" in result:
            rest = [f"no: {result['not_on_gpu']}"] + ["-"] * (len(TOOLS) + 1)
        else:
            rest = [cell(result.get("native"))] + [cell(result.get(tool)) for tool in TOOLS]
            rest.append(twin(result))
        lines.append(f"| `{name}` | `{family}.h` | {rule} | {how} | " + " | ".join(rest) + " |")
    return "\n".join(lines)


def page_with(table_text, page):
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    return f"{page[:begin]}\n\n{table_text}\n\n{page[end:]}"


def write_table(arguments):
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    wanted = page_with(table(), page)
    if arguments.check:
        if wanted != page:
            print("docs/faults.md: its table is not what the sources and "
                  "docs/faults/sanitizer.json say: run sanitizer_table.py table")
        return int(wanted != page)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(wanted)
    return 0


def main(words):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    commands = parser.add_subparsers(required=True)
    running = commands.add_parser("run")
    running.add_argument("program")
    running.add_argument("--out", default=os.path.dirname(RESULTS))
    running.add_argument("--jobs", type=int, default=8)
    running.add_argument("--limit", type=float, default=20)
    everything = ("native", *TOOLS)
    running.add_argument("--no-twins", action="store_true")
    running.add_argument("--with", dest="what", nargs="+", choices=everything, default=everything)
    running.set_defaults(function=run)
    writing = commands.add_parser("table")
    writing.add_argument("--check", action="store_true")
    writing.set_defaults(function=write_table)
    arguments = parser.parse_args(words)
    return arguments.function(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

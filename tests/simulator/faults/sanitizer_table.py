#!/usr/bin/env python3
"""The faults of the catalogue under compute-sanitizer, beside what the simulator says of them.

    sanitizer_table.py run PROGRAM [--out FOLDER] [--jobs N] [--limit SECONDS]
                       [--hang-limit SECONDS] [--budget SECONDS] [--with WHAT ...] [--no-twins]
    sanitizer_table.py table [--check]

`run` needs a GPU, compute-sanitizer in the PATH, and PROGRAM (warpline_fault_on_gpu, built). Each
fault runs alone and under memcheck, racecheck, synccheck and initcheck, and so does its correct
twin. What must not wait for anything comes first, and faults that hang when they run alone come
last, with a limit of their own: a kernel that spins takes time from all others on the GPU.

FOLDER/sanitizer.json (docs/faults unless it is said otherwise) is replaced as a whole after each
result. What has an answer there, or in docs/faults/sanitizer.json if FOLDER has none yet, is not
run again; `no answer` is, if there is more time for it now. So a run can be ended (--budget does)
and taken up again. `--with memcheck` runs only that, `--no-twins` leaves the twins out, and
`--afresh` asks everything again.

`table` writes what docs/faults/sanitizer.json has into docs/faults.md, between its markers; with
--check it only says whether that was done.
"""

import argparse
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
RESULTS = os.path.join(ROOT, "docs", "faults", "sanitizer.json")
PAGE = os.path.join(ROOT, "docs", "faults.md")
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
NO_ANSWER = "no answer"
BEGIN, END = "<!-- catalogue -->", "<!-- /catalogue -->"


def finish(command, limit):
    """(output, exit status) of a command, or (output, None) if it had to be killed.

    Not `with`, which waits until the process is gone: one whose kernel spins may stay for long.
    """
    with tempfile.TemporaryFile() as output:  # a grandchild would keep a pipe open
        process = subprocess.Popen(  # pylint: disable=consider-using-with
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True)
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
            # The tool's child, too: the session is ours.
            os.killpg(process.pid, signal.SIGKILL)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                pass  # the driver has not let go of it yet
        output.seek(0)
        return output.read().decode(errors="replace"), status


def last_line(output):
    lines = [line for line in output.splitlines() if line.strip() and not line.startswith("=")]
    return lines[-1].strip() if lines else ""


def native(output, status):
    """What is seen without a tool."""
    if status is None:
        return NO_ANSWER
    line = last_line(output)
    if line in ("right", "wrong"):
        return line
    return line if line.startswith("error: ") else f"error: ended with status {status}"


SUMMARY = re.compile(r"(ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard)")
MESSAGE = re.compile(r"^=+ +((?:Invalid|Error|Warning|Barrier|Uninitialized|Race|Misaligned|"
                     r"Divergent|Missing|Program hit|Out-of-range).*)", re.MULTILINE)


def judge(output, status):
    """What a tool says: how much it reports, and its first message."""
    summary = SUMMARY.search(output)
    messages = MESSAGE.findall(output)
    says = re.sub(r"0x[0-9a-f]+", "0x...", messages[0]).strip()[:160] if messages else ""
    if status is None and summary is None:
        # What it said before it was killed counts.
        return {"verdict": f"{len(messages)}, hangs" if messages else NO_ANSWER, "says": says}
    if summary is None:
        return {"verdict": "died", "says": says or f"status {status}"}
    count = int(summary.group(2) or summary.group(3))
    return {"verdict": str(count) if count else "nothing", "says": says}


def verdict_of(result):
    return result["verdict"] if isinstance(result, dict) else result


def listed(program):
    """(name, rule, why it is not run) of each fault."""
    output = subprocess.run([program, "--list"], stdout=subprocess.PIPE, text=True,
                            check=True).stdout
    return [line.split("\t") for line in output.splitlines()]


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class Run:
    """A file of results and what is still to be asked."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.path = os.path.join(arguments.out, "sanitizer.json")
        self.end = time.monotonic() + arguments.budget
        self.lock = threading.Lock()
        start = next((path for path in (self.path, RESULTS) if os.path.exists(path)), None)
        self.all = read(start) if start and not arguments.afresh else {"faults": {}}
        known = self.all["faults"]
        self.faults = listed(arguments.program)
        self.results = {name: {**known.get(name, {}), "rule": rule}
                        for name, rule, _ in self.faults}
        for name, _, reason in self.faults:
            if reason:
                self.results[name]["not_on_gpu"] = reason
        # What an earlier run could not wait for is asked again if this one waits longer.
        self.waited = self.all.get("waited", {})

    def describe(self):
        version = finish(["compute-sanitizer", "--version"], 20)[0]
        number = re.search(r"Version ([\d.]+)", version)
        gpu = finish(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                     20)[0].strip()
        self.all = {"compute-sanitizer": number.group(1) if number else "?", "gpu": gpu,
                    "limit": self.arguments.limit, "hang_limit": self.arguments.hang_limit,
                    "jobs": self.arguments.jobs}

    def save(self):
        """Called with the lock."""
        os.makedirs(self.arguments.out, exist_ok=True)
        draft = self.path + ".draft"
        with open(draft, "w", encoding="utf-8") as file:
            json.dump({**self.all, "waited": self.waited, "faults": self.results}, file, indent=1,
                      sort_keys=True)
            file.write("\n")
        os.replace(draft, self.path)

    def hangs(self, name):
        return self.results[name].get("native") == NO_ANSWER

    def limit(self, name, what):
        hangs = what == "native" or not what.startswith("twin ") and self.hangs(name)
        return self.arguments.hang_limit if hangs else self.arguments.limit

    def open(self, name, what):
        """Whether the question has no answer yet that is worth keeping."""
        result = self.results[name].get(what)
        if "not_on_gpu" in self.results[name]:
            return False
        return result is None or (verdict_of(result) == NO_ANSWER and
                                  self.waited.get(f"{name} {what}", 0) < self.limit(name, what))

    def ask(self, name, what):
        limit = min(self.limit(name, what), self.end - time.monotonic())
        if limit < 1:
            return
        if what == "native":
            result = native(*finish([self.arguments.program, name], limit))
        else:
            which = "--twin" if what.startswith("twin ") else "--alone"
            result = judge(*finish(["compute-sanitizer", "--tool", what.removeprefix("twin "),
                                    "--print-limit", "5", self.arguments.program, name, which],
                                   limit))
        with self.lock:
            if verdict_of(result) == NO_ANSWER and limit < self.limit(name, what):
                return  # the budget's end, not the fault's
            self.results[name][what] = result
            if verdict_of(result) == NO_ANSWER:
                self.waited[f"{name} {what}"] = limit
            self.save()
            print(f"{name}: {what}: {result}", flush=True)

    def stages(self):
        """Lists of questions, each list decided when those before it are answered."""
        names = [name for name, _, _ in self.faults]
        tools = [tool for tool in TOOLS if tool in self.arguments.what]
        late = [tool for tool in tools if tool == "initcheck"]
        early = [tool for tool in tools if tool not in late]
        if "native" in self.arguments.what:
            yield [(name, "native") for name in names]
        answered = [name for name in names if not self.hangs(name)]
        hanging = [name for name in names if self.hangs(name)]
        yield [(name, tool) for tool in early for name in answered]
        yield [(name, tool) for tool in late for name in answered]
        if not self.arguments.no_twins:
            yield [(name, f"twin {tool}") for tool in early + late for name in names]
        yield [(name, tool) for tool in early + late for name in hanging]

    def work(self):
        left = 0
        for stage in self.stages():
            questions = [question for question in stage if self.open(*question)]
            with concurrent.futures.ThreadPoolExecutor(self.arguments.jobs) as pool:
                # Not map alone: an exception of a worker shall be seen.
                for job in [pool.submit(self.ask, *question) for question in questions]:
                    job.result()
            left += sum(self.open(*question) for question in questions)
        print(f"{left} questions are left" if left else "all questions are answered", flush=True)


def run(arguments):
    work = Run(arguments)
    work.describe()
    work.work()
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


def cell(result, waited=None):
    """`waited`: seconds that were waited for an answer, where it is known."""
    if result is None:
        return "not yet measured"
    if isinstance(result, str) and result.startswith("error: "):
        return "launch fails"
    verdict = verdict_of(result)
    return f"{verdict} in {waited:g} s" if verdict == NO_ANSWER and waited else verdict


def twin(result):
    """What the tools say of the correct twin."""
    found = [f"{tool}: {result[f'twin {tool}']['verdict']}" for tool in TOOLS
             if result.get(f"twin {tool}", {"verdict": "nothing"})["verdict"] != "nothing"]
    return "; ".join(found) or ("nothing" if f"twin {TOOLS[0]}" in result else "not yet measured")


def table():
    results = {}
    waited = {}
    head = ["Not yet measured on a GPU.", ""]
    if os.path.exists(RESULTS):
        measured = read(RESULTS)
        results = measured["faults"]
        waited = measured["waited"]
        head = [f"GPU: {measured['gpu']}; compute-sanitizer {measured['compute-sanitizer']}; "
                f"up to {measured['limit']:g} seconds each.", ""]
    lines = head + ["| fault | in | rule | simulator | on the GPU | " + " | ".join(TOOLS)
                    + " | tools on the twin |", "| --- " * (6 + len(TOOLS)) + "|"]
    for family, name, rules, how in catalogue():
        result = results.get(name, {})
        rule = " or ".join(f"`{rule}`" for rule in rules)
        if "not_on_gpu" in result:
            rest = [f"no: {result['not_on_gpu']}"] + ["-"] * (len(TOOLS) + 1)
        else:
            rest = [cell(result.get(what), waited.get(f"{name} {what}"))
                    for what in ("native", *TOOLS)]
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
    running.add_argument("--limit", type=float, default=25)
    running.add_argument("--hang-limit", type=float, default=8,
                         help="of faults that hang when they run alone, and of those runs")
    running.add_argument("--budget", type=float, default=float("inf"), help="seconds in all")
    running.add_argument("--afresh", action="store_true", help="keep no earlier answer")
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

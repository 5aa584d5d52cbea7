"""The table in docs/faults.md agrees with the sources, and the tools' output is read rightly."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "simulator", "faults"))

import sanitizer_table  # pylint: disable=wrong-import-position


class Table(unittest.TestCase):
    def test_page(self):
        self.assertEqual(0, sanitizer_table.main(["table", "--check"]))

    def test_every_fault_is_listed_once(self):
        names = [name for _, name, _, _ in sanitizer_table.catalogue()]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreaterEqual(len(names), 40)

    def test_cells(self):
        self.assertEqual("not yet measured", sanitizer_table.cell(None))
        self.assertEqual("launch fails", sanitizer_table.cell("error: a kernel failed: trap"))
        self.assertEqual("wrong", sanitizer_table.cell("wrong", 6.0))
        self.assertEqual("no answer in 6 s", sanitizer_table.cell("no answer", 6.0))
        self.assertEqual("no answer", sanitizer_table.cell({"verdict": "no answer", "says": ""}))
        self.assertEqual("3", sanitizer_table.cell({"verdict": "3", "says": "Race"}))
        nothing = {f"twin {tool}": {"verdict": "nothing"} for tool in sanitizer_table.TOOLS}
        self.assertEqual("nothing", sanitizer_table.twin(nothing))
        nothing["twin initcheck"] = {"verdict": "7"}
        self.assertEqual("initcheck: 7", sanitizer_table.twin(nothing))


class Verdicts(unittest.TestCase):
    def test_outputs(self):
        banner = "========= COMPUTE-SANITIZER\n"
        for output, status, verdict, says in (
            (banner + "right\n========= ERROR SUMMARY: 0 errors\n", 0, "nothing", ""),
            (banner + "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors)\n", 0,
             "nothing", ""),
            (banner + "========= Error: Race reported between Read access at f+0xa0\n"
             "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n", 0, "1",
             "Error: Race reported between Read access at f+0x..."),
            (banner + "========= Invalid __shared__ write of size 4 bytes\n"
             "========= ERROR SUMMARY: 32 errors\n", 1, "32",
             "Invalid __shared__ write of size 4 bytes"),
            (banner, 139, "died", "status 139"),
            (banner, None, "no answer", ""),
            (banner + "========= Barrier error detected. Missing wait\n", None, "1, hangs",
             "Barrier error detected. Missing wait"),
        ):
            found = sanitizer_table.judge(output, status)
            self.assertEqual({"verdict": verdict, "says": says}, found)

    def test_a_command_that_hangs_is_ended(self):
        output, status = sanitizer_table.finish(["sh", "-c", "echo begun; sleep 60"], 0.5)
        self.assertEqual(("begun\n", None), (output, status))

    def test_last_line(self):
        self.assertEqual("error: x", sanitizer_table.last_line("right\nerror: x\n===== y\n\n"))


PROGRAM = """#!/bin/sh
case "$1 $2" in
    "--list ") printf 'hang\\tdeadlock\\t\\nrace\\tdata-race\\t\\n'
               printf 'launch\\tregister-launch\\tno GPU\\n' ;;
    "race ") echo wrong ;;
    "hang " | "hang --alone") sleep 60 ;;
    *) echo right ;;
esac
"""
TOOL = """#!/bin/sh
test "$1" = --version && echo "Version 2025.3.1" && exit
shift 4
"$@" || exit
case "$3" in
    --twin) echo "========= ERROR SUMMARY: 0 errors" ;;
    *) echo "========= Invalid __shared__ read of size 4 bytes"
       echo "========= ERROR SUMMARY: 3 errors" ;;
esac
"""


class Run(unittest.TestCase):
    """With programs that stand for the fault's and for compute-sanitizer."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        write(self.folder, "program", PROGRAM)
        write(self.folder, "compute-sanitizer", TOOL)
        write(self.folder, "nvidia-smi", "#!/bin/sh\necho 'A GPU, 1.2'\n")
        path = os.environ["PATH"]
        self.addCleanup(os.environ.update, PATH=path)
        os.environ["PATH"] = self.folder + ":" + path

    def run_with(self, *options):
        """(what it printed, the file)"""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            sanitizer_table.main(["run", os.path.join(self.folder, "program"), "--out",
                                  self.folder, "--hang-limit", "1.2", *options])
        with open(os.path.join(self.folder, "sanitizer.json"), encoding="utf-8") as file:
            return printed.getvalue().splitlines(), json.load(file)

    def test_results_of_two_runs_add_up(self):
        self.run_with("--with", "native")
        _, found = self.run_with("--with", "memcheck")
        self.assertEqual("2025.3.1", found["compute-sanitizer"])
        self.assertEqual("A GPU, 1.2", found["gpu"])
        self.assertEqual(
            {"rule": "data-race", "native": "wrong",
             "memcheck": {"verdict": "3", "says": "Invalid __shared__ read of size 4 bytes"},
             "twin memcheck": {"verdict": "nothing", "says": ""}}, found["faults"]["race"])
        self.assertEqual({"rule": "register-launch", "not_on_gpu": "no GPU"},
                         found["faults"]["launch"])

    def test_what_hangs_comes_last_and_is_asked_again_only_with_more_time(self):
        first, found = self.run_with("--with", "native", "memcheck")
        self.assertEqual("no answer", found["faults"]["hang"]["native"])
        self.assertTrue(first[-2].startswith("hang: memcheck: "), first)
        self.assertEqual("all questions are answered", first[-1])
        again, _ = self.run_with("--with", "native", "memcheck")
        self.assertEqual(["all questions are answered"], again)
        longer, _ = self.run_with("--with", "native", "memcheck", "--hang-limit", "1.5")
        self.assertEqual(3, len(longer), longer)

    def test_a_budget_ends_it_and_loses_nothing(self):
        self.run_with("--with", "native")
        printed, found = self.run_with("--with", "memcheck", "--budget", "0.5")
        self.assertEqual(["4 questions are left"], printed)
        self.assertEqual("wrong", found["faults"]["race"]["native"])


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)


if __name__ == "__main__":
    unittest.main()

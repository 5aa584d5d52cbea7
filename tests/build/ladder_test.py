"""The ladder's pages, plot and pictures agree with results.json and trace.json, and these with the
kernels; and the check notices where they do not."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
LADDER = os.path.join(ROOT, "docs", "ladder")
sys.path.insert(0, LADDER)
import update  # noqa: E402  pylint: disable=wrong-import-position


def stale(folder):
    return [name for name, _ in update.stale_files(folder)]


class Ladder(unittest.TestCase):
    def test_pages_plot_and_results_agree(self):
        self.assertEqual([], stale(LADDER), "run docs/ladder/update.py")

    def test_the_trace_is_what_the_kernels_do(self):
        program = os.environ.get("WARPLINE_LADDER_TRACE")
        if not program:
            self.skipTest("the simulator is not built here")
        result = subprocess.run([program], text=True, check=True, stdout=subprocess.PIPE)
        with open(os.path.join(LADDER, "trace.json"), encoding="utf-8") as file:
            recorded = file.read()
        self.assertEqual(recorded, result.stdout,
                         f"{program} > docs/ladder/trace.json; docs/ladder/update.py")


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        for name in os.listdir(LADDER):
            if name.endswith((".json", ".md", ".svg")):
                shutil.copy(os.path.join(LADDER, name), self.folder)

    def change(self, name, edit):
        path = os.path.join(self.folder, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        changed = edit(text)
        self.assertNotEqual(text, changed)
        with open(path, "w", encoding="utf-8") as file:
            file.write(changed)

    def test_a_new_result_is_due_in_pages_and_plot(self):
        def slower(text):
            results = json.loads(text)
            results["versions"][4]["ratio"] = 0.123
            return json.dumps(results)
        self.change("results.json", slower)
        self.assertEqual(["ladder.svg", "README.md", "v4.md", "v5.md"], stale(self.folder))

    def test_a_figure_changed_by_hand(self):
        self.change("v3.md", lambda text: re.sub(r"(ratio to cuBLAS \| )\d", r"\g<1>9", text))
        self.assertEqual(["v3.md"], stale(self.folder))

    def test_a_new_trace_is_due_in_the_picture(self):
        self.change("trace.json", lambda text: text.replace('["finish", 0],', "", 1))
        self.assertEqual(["v1.svg"], stale(self.folder))

    def test_a_page_without_its_table(self):
        self.change("v2.md", lambda text: text.replace("<!-- measured v2 -->", ""))
        with self.assertRaisesRegex(ValueError, "v2.md has 0 places for a table, not 1"):
            stale(self.folder)

    def test_a_missing_version(self):
        def without_v5(text):
            results = json.loads(text)
            return json.dumps({**results, "versions": results["versions"][:-1]})
        self.change("results.json", without_v5)
        with self.assertRaisesRegex(ValueError, "does not have just the versions v0, v1"):
            stale(self.folder)

    def test_figures_that_were_not_measured(self):
        def nothing(text):
            results = json.loads(text)
            for line in results["versions"]:
                line.update(tflops=None, ratio=None, relative_error=None)
                # What ncu measures comes later.
                del line["tensor_pipe_percent"], line["dram_percent"]
            return json.dumps(results)
        self.change("results.json", nothing)
        files = dict(update.stale_files(self.folder))
        self.assertIn("| ratio to cuBLAS | not measured |", files["v3.md"])
        self.assertIn("| DRAM throughput | not measured |", files["v3.md"])
        self.assertIn(">?</text>", files["ladder.svg"])


if __name__ == "__main__":
    unittest.main()

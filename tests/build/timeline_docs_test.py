"""The pictures and the table of docs/timeline.md are what the virtual clock gives now, and it is
within ten points of what was measured."""

import json
import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
BUILD = os.environ.get("WARPLINE_BUILD", "")
FOLDER = os.path.join(ROOT, "docs", "timeline")


def samples():
    return all(os.path.exists(os.path.join(BUILD, "samples", "warpline_sample_" + name))
               for name in ("ladder", "matmul"))


@unittest.skipUnless(samples(), "this build has no samples")
class Docs(unittest.TestCase):
    def test_up_to_date(self):
        checked = subprocess.run([sys.executable, os.path.join(FOLDER, "update.py"), BUILD,
                                  "--check"], stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stdout)


class Prediction(unittest.TestCase):
    def test_within_ten_points_of_what_was_measured(self):
        with open(os.path.join(FOLDER, "measured.json"), encoding="utf-8") as file:
            measured = json.load(file)["tensor_pipe_percent"]
        with open(os.path.join(ROOT, "docs", "timeline.md"), encoding="utf-8") as file:
            rows = dict(re.findall(r"^\| (\w+) \| ([\d.]+) % \|", file.read(), re.MULTILINE))
        self.assertEqual(set(rows), {"v1", "v2", "v3", "v4", "v5", "cooperative"})
        for name, percent in measured.items():
            self.assertLessEqual(abs(float(rows[name]) - percent), 10, name)


if __name__ == "__main__":
    unittest.main()

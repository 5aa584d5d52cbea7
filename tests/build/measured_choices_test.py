#!/usr/bin/env python3
"""kernels/matmul/measured_choices.py: which candidate of a sweep wins."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "kernels", "matmul", "measured_choices.py")


def candidate(choice, milliseconds, stages, **more):
    return {"kernel": "", "splits": 0, "raster": 0, "choice": choice,
            "milliseconds": milliseconds, "stages": stages, **more}


def sweep(m, date, *candidates):
    return {"key": {"kind": "sweep", "m": m, "n": 64, "k": 32, "type": "bf16"}, "date": date,
            "candidates": list(candidates)}


class MeasuredChoices(unittest.TestCase):
    def made(self, *rows, head=("warpline bench matmul", 1)):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"format": head[0], "version": head[1], "rows": list(rows)}, file)
            file.flush()
            return subprocess.run([sys.executable, SCRIPT, file.name], text=True,
                                  capture_output=True, check=False)

    def rows(self, *rows):
        done = self.made(*rows)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()[1:]

    def test_the_fastest_correct_candidate_of_the_last_contest_wins(self):
        self.assertEqual(
            self.rows(sweep(8, "2026-01-01",
                            candidate("a_b, splits 1, raster 8: x", 1.0, 2),
                            candidate("slow, splits 1, raster 8: x", 3.0, 3),
                            candidate("wrong, splits 1, raster 8: x", 0.5, 3, complaint="NaN"),
                            candidate("c_1x1, exchanged, splits 4, raster 2: x", 2.0, 3))),
            ['{bf16, true, false, 8, 64, 32, "c_1x1", 4, 2},'])

    def test_sums_in_any_order_are_for_those_who_ask(self):
        fast = candidate("a, splits 4 added in any order, raster 2: x", 1.0, 3)
        self.assertEqual(
            self.rows(sweep(8, "2026-01-01", fast, candidate("b, splits 4, raster 2: x", 2.0, 3))),
            ['{bf16, true, false, 8, 64, 32, "b", 4, 2},'])
        self.assertEqual(self.rows(sweep(8, "2026-01-01", fast)), [])

    def test_the_latest_sweep_of_a_shape_counts_and_shapes_are_sorted(self):
        def row(m, date, name):
            return sweep(m, date, candidate(name + ", splits 1, raster 1: x", 1.0, 3))
        self.assertEqual(
            self.rows(row(16, "2026-01-02", "new"), row(16, "2026-01-01", "old"),
                      row(8, "2026-01-01", "small")),
            ['{bf16, true, false, 8, 64, 32, "small", 1, 1},',
             '{bf16, true, false, 16, 64, 32, "new", 1, 1},'])

    def test_other_rows_and_files_are_left_alone(self):
        other = sweep(8, "2026-01-01")
        other["key"]["kind"] = "matmul"
        self.assertEqual(self.rows(other), [])
        self.assertNotEqual(self.made(head=("something", 1)).returncode, 0)


if __name__ == "__main__":
    unittest.main()

"""The ladder program: what it refuses, its cache options, its JSON. Everything on the simulator."""

import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.path.join(os.environ.get("WARPLINE_BUILD", ""), "samples/warpline_sample_ladder")


@unittest.skipUnless(os.path.exists(PROGRAM), "the ladder is not built here")
class Ladder(unittest.TestCase):
    def run_program(self, *arguments, **environment):
        result = subprocess.run([PROGRAM, *arguments], text=True, check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**os.environ, **environment})
        return result.returncode, result.stdout, result.stderr

    def assert_refused(self, words, *arguments):
        status, output, errors = self.run_program(*arguments)
        self.assertEqual((2, ""), (status, output))
        self.assertEqual(1, errors.count("\n"), errors)
        self.assertIn(words, errors)

    def test_what_does_not_go_together(self):
        simulator = ("--target", "simulator")
        self.assert_refused("--bench times the GPU", "--bench", *simulator)
        self.assert_refused("--tune times the GPU", "--tune", *simulator)
        self.assert_refused("--sustained goes with --bench", "--sustained")
        self.assert_refused("--exhaustive goes with --tune", "--exhaustive")
        self.assert_refused("--judge-race goes with --tune", "--judge-race")
        self.assert_refused("warm not in", "--tune-load", "warm")
        self.assert_refused("exclude each other", "--no-cache", "--cache", "x")
        self.assert_refused("--shapes brings its sizes", "--shapes", "tails", "--m", "3")
        self.assert_refused("v6 not in", "--version", "v6")
        self.assert_refused("v2 has no raster", "--version", "v2", "--raster", "4", *simulator)
        self.assert_refused("--list has them", "--stages", "9", *simulator)
        self.assert_refused("M is -1", "--m", "-1", *simulator)
        self.assert_refused("'ten' is not a whole number", "--m", "ten")

    def test_list(self):
        status, output, _ = self.run_program("--list")
        self.assertEqual(0, status)
        for version in range(6):
            self.assertIn(f"\nv{version} ", output)

    def test_all_versions_and_their_json(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            status, output, errors = self.run_program(
                "--target", "simulator", "--m", "200", "--n", "136", "--k", "72", "--schedules",
                "3", "--policy", "adversarial", "--json", path)
            self.assertEqual((0, ""), (status, errors))
            self.assertIn("heuristic", output)
            with open(path, encoding="utf-8") as file:
                results = json.load(file)
        self.assertEqual({"m": 200, "n": 136, "k": 72}, results["problem"])
        self.assertIsNone(results["gpu"])
        self.assertEqual([f"v{i}" for i in range(6)],
                         [line["version"] for line in results["versions"]])
        for line in results["versions"]:
            self.assertTrue(line["correct"])
            self.assertLess(line["relative_error"], 1e-3)
            self.assertIsNone(line["tflops"])
            self.assertEqual({"stages", "block_m", "block_n", "block_k", "raster"},
                             set(line["configuration"]))

    def test_a_set_of_shapes(self):
        status, output, errors = self.run_program("--target", "simulator", "--shapes", "empty",
                                                  "--version", "v4", "--raster", "3")
        self.assertEqual((0, ""), (status, errors))
        self.assertIn("raster 3", output)
        self.assertIn("5 of 5 shapes correct", output)

    def test_parts_of_a_set_of_shapes(self):
        for part, count in (("1/2", 3), ("2/2", 2)):
            status, output, _ = self.run_program("--target", "simulator", "--shapes", "empty",
                                                 "--version", "v0", "--part", part)
            self.assertEqual(0, status)
            self.assertIn(f"{count} of {count} shapes correct", output)
        self.assert_refused("'3/2' is no part", "--shapes", "empty", "--part", "3/2")
        self.assert_refused("--part goes with --shapes", "--part", "1/2")

    def test_the_cache_is_shown_and_cleared_and_a_bad_one_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tuning.json")
            entry = {"gpu": "G", "driver": "1", "kernel": "ladder_v4",
                     "problem": {"m": 1, "n": 2, "k": 3}, "configuration": {"stages": 4},
                     "milliseconds": 0.5, "complete": True, "date": "2026-11-29T00:00:00Z"}
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"format": "warpline tuning", "version": 1, "entries": [entry]}, file)
            for arguments, environment in ((("--cache", path), {}),
                                           ((), {"WARPLINE_TUNING_CACHE": path})):
                status, output, errors = self.run_program("--show-cache", *arguments, **environment)
                self.assertEqual((0, ""), (status, errors))
                self.assertIn("G (driver 1), ladder_v4, m 1, n 2, k 3: stages 4", output)
            with open(path, "w", encoding="utf-8") as file:
                file.write("{")
            status, output, errors = self.run_program("--show-cache", "--cache", path)
            self.assertEqual((0, 1), (status, errors.count("\n")))
            self.assertIn("is ignored: it is no JSON", errors)
            self.assertEqual(0, self.run_program("--clear-cache", "--cache", path)[0])
            self.assertFalse(os.path.exists(path))
            self.assertEqual(0, self.run_program("--clear-cache", "--cache", path)[0])


if __name__ == "__main__":
    unittest.main()

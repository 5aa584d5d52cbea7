"""The benchmark program on the simulator: what it refuses, resume, shards, report."""

import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.path.join(os.environ.get("WARPLINE_BUILD", ""), "samples/warpline_sample_bench")
SIMULATOR = ("--target", "simulator")
SHAPES = ("--shapes", "64x64x64,40x72x80,1x64x96")


@unittest.skipUnless(os.path.exists(PROGRAM), "the benchmark program is not built here")
class Bench(unittest.TestCase):
    def run_program(self, *arguments):
        result = subprocess.run([PROGRAM, *arguments], text=True, check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return result.returncode, result.stdout, result.stderr

    def matmul(self, *arguments):
        return self.run_program("matmul", *arguments)

    def assert_refused(self, words, *arguments):
        status, output, errors = self.matmul(*arguments)
        self.assertEqual((2, ""), (status, output))
        self.assertEqual(1, errors.count("\n"), errors)
        self.assertIn(words, errors)

    def rows(self, path):
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
        self.assertEqual(("warpline bench matmul", 1), (results["format"], results["version"]))
        return results["rows"]

    def test_subcommands(self):
        status, output, _ = self.run_program("--help")
        self.assertEqual(0, status)
        self.assertIn("matmul", output)
        self.assertEqual(2, self.run_program()[0])
        status, _, errors = self.run_program("matmull")
        self.assertEqual(2, status)
        self.assertIn("no subcommand 'matmull'", errors)

    def test_what_is_refused(self):
        self.assert_refused("exclude each other", "--suite", "smoke", *SHAPES)
        self.assert_refused("--sweep times the GPU", "--sweep", *SIMULATOR)
        self.assert_refused("tries splits", "--sweep", "--splits", "2")
        self.assert_refused("'0' is neither a number from 1 to 1024 nor 'stream'", "--splits", "0")
        self.assert_refused("'x' is neither a number from 1 to 65536 nor 'hilbert'", "--raster",
                            "x")
        self.assert_refused("--explain runs nothing", "--explain", "--json", "x")
        self.assert_refused("--report runs nothing", "--report", "x", "--sweep")
        self.assert_refused("--again goes with --json", "--again")
        self.assert_refused("'fp8' is not fp16", "--type", "fp8")
        self.assert_refused("'4/3' is not i/n", "--shard", "4/3")
        self.assert_refused("'64x64' is not MxNxK", "--shapes", "64x64", *SIMULATOR)
        self.assert_refused("there is no suite 'none'", "--suite", "none", *SIMULATOR)
        self.assert_refused("--pairs", "--pairs", "0")
        self.assert_refused("--trace is of one shape", "--trace", "/tmp/x.json", *SHAPES,
                            *SIMULATOR)

    def test_a_kernel_that_there_is_not(self):
        status, output, _ = self.matmul("--shapes", "64x64x64", "--kernel", "none", *SIMULATOR)
        self.assertEqual(1, status)
        self.assertIn("NOT RUN: kernel", output)
        self.assertIn("none", output)

    def test_too_large_to_simulate(self):
        status, output, _ = self.matmul("--shapes", "4096x4096x4096", *SIMULATOR)
        self.assertEqual(1, status)
        self.assertIn("too many to simulate", output)

    def test_explain_and_list(self):
        status, output, errors = self.matmul("--explain", "--shapes", "8192x8192x8192", *SIMULATOR)
        self.assertEqual((0, ""), (status, errors))
        self.assertIn("8192x8192x8192", output)
        names = self.matmul("--list")[1].split()
        self.assertGreater(len(names), 1)
        self.assertTrue(any(name in output for name in names), output)

    def test_stream_k_and_hilbert(self):
        status, output, errors = self.matmul("--shapes", "300x264x320", "--kernel", "128x128_c1x1",
                                             "--splits", "stream", "--raster", "hilbert",
                                             *SIMULATOR)
        self.assertEqual((0, ""), (status, errors))
        self.assertIn("splits stream, raster hilbert", output)
        self.assertIn("1 of 1 shapes correct", output)

    def test_nondeterministic(self):
        for kernel, words in (("128x128_c1x1", "splits 3 added in any order"),
                              ("64x64_t_k2", "64x64_t_k2, exchanged, splits 1, ")):
            splits = ("--splits", "3") if "_k" not in kernel else ()
            status, output, errors = self.matmul("--shapes", "40x264x320", "--kernel", kernel,
                                                 "--nondeterministic", *splits, *SIMULATOR)
            self.assertEqual((0, ""), (status, errors))
            self.assertIn(words, output)
            self.assertIn("1 of 1 shapes correct", output)

    def test_checked_kept_resumed_and_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "r.json")
            arguments = (*SHAPES, *SIMULATOR, "--type", "fp16,bf16", "--json", path)
            status, _, errors = self.matmul(*arguments, "--time-limit", "0")
            self.assertEqual((0, ""), (status, errors))
            self.assertFalse(os.path.exists(path))  # nothing was begun

            status, output, errors = self.matmul(*arguments)
            self.assertEqual((0, ""), (status, errors))
            self.assertIn("6 of 6 shapes correct", output)
            rows = self.rows(path)
            self.assertEqual(6, len(rows))
            for row in rows:
                limit = 1e-3 if row["key"]["type"] == "fp16" else 8e-3
                self.assertTrue(row["correct"])
                self.assertTrue(0 < row["relative_error"] < limit, row)
                self.assertIsNone(row["cool"])

            # A killed run had done some: only the others are done now.
            with open(path, encoding="utf-8") as file:
                results = json.load(file)
            kept = results["rows"][0]
            kept["date"] = "2000-01-01T00:00:00Z"
            results["rows"] = [kept]
            with open(path, "w", encoding="utf-8") as file:
                json.dump(results, file)
            status, output, _ = self.matmul(*arguments)
            self.assertEqual(0, status)
            self.assertIn("1 of 6 shapes are in", output)
            self.assertEqual(6, len(self.rows(path)))
            self.assertEqual("2000-01-01T00:00:00Z", self.rows(path)[0]["date"])
            self.matmul(*arguments, "--again")
            self.assertNotEqual("2000-01-01T00:00:00Z", self.rows(path)[0]["date"])

            svg = os.path.join(folder, "r.svg")
            status, output, errors = self.matmul("--report", path, "--svg", svg)
            self.assertEqual((0, ""), (status, errors))
            self.assertIn("40x72x80", output)
            with open(svg, encoding="utf-8") as file:
                self.assertIn("40x72x80 bf16", file.read())

    def test_shards_make_one_table(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, f"{i}.json") for i in (1, 2)]
            for i, path in enumerate(paths, 1):
                status = self.matmul(*SHAPES, *SIMULATOR, "--shard", f"{i}/2", "--json", path)[0]
                self.assertEqual(0, status)
            self.assertEqual([2, 1], [len(self.rows(path)) for path in paths])
            status, output, _ = self.matmul("--report", *paths)
            self.assertEqual(0, status)
            self.assertIn("3 of 3 shapes correct", output)

    def test_a_file_of_something_else_is_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "other.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write("[1]")
            for arguments in (("--json", path, *SHAPES, *SIMULATOR), ("--report", path)):
                status, _, errors = self.matmul(*arguments)
                self.assertEqual(1, status)
                self.assertIn("holds no results of bench matmul", errors)
            with open(path, encoding="utf-8") as file:
                self.assertEqual("[1]", file.read())


if __name__ == "__main__":
    unittest.main()

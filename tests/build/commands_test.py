"""tests/run and samples/run: what they say to bad options, before they build anything."""

import glob
import os
import subprocess
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))


def run(command, *arguments):
    result = subprocess.run([os.path.join(ROOT, command), *arguments], text=True, check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return result.returncode, result.stdout, result.stderr


class Commands(unittest.TestCase):
    def assert_refused(self, words, command, *arguments):
        status, output, errors = run(command, *arguments)
        self.assertEqual((2, ""), (status, output))
        self.assertEqual(f"{command}: {words}\n", errors)

    def test_bad_options_are_one_line_and_status_2(self):
        for command in ("tests/run", "samples/run"):
            self.assert_refused("unknown option '--bogus' (see --help)", command, "--bogus")
            self.assert_refused("--jobs needs a value (see --help)", command, "--jobs")
        self.assert_refused("unknown option 'bogus' (see --help)", "tests/run", "bogus")
        self.assert_refused("unknown option '--bogus' (see --help)", "docs/build", "--bogus")
        self.assert_refused("--output needs a value (see --help)", "docs/build", "--output")
        self.assert_refused("--filter needs a value (see --help)", "tests/run", "--filter")
        self.assert_refused("--jobs needs a positive number, not '0'", "tests/run", "--jobs", "0")
        self.assert_refused("no preset 'x': it is default, simulator, sanitize, checked or trace",
                            "tests/run", "--preset", "x")
        self.assert_refused("no sample '../tests': samples/run lists them", "samples/run",
                            "../tests")

    def test_help(self):
        for command in ("tests/run", "samples/run"):
            status, output, errors = run(command, "--help")
            self.assertEqual((0, ""), (status, errors))
            self.assertIn(f"Usage: {command}", output)

    def test_samples_are_listed(self):
        status, output, _ = run("samples/run")
        samples = [entry.name for entry in os.scandir(os.path.join(ROOT, "samples"))
                   if glob.glob(os.path.join(entry.path, "main.c[pu]*"))]
        self.assertEqual(0, status)
        self.assertEqual(sorted(samples), output.split()[5:])


if __name__ == "__main__":
    unittest.main()

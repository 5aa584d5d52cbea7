"""The matmul sample's ways with faults: --strict, --policy all, --reports and the exit status."""

import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.path.join(os.environ.get("WARPLINE_BUILD", "build/simulator"), "samples",
                       "warpline_sample_matmul")
# Its CTAs free each other's stages with the scope of one CTA: vendor practice.
CLUSTER = ("--target", "simulator", "--kernel", "cooperative", "--m", "256", "--n", "256", "--k",
           "128")


def run(*arguments):
    result = subprocess.run([PROGRAM, *arguments], text=True, check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return result.returncode, result.stdout, result.stderr


@unittest.skipUnless(os.path.exists(PROGRAM), "the sample was not built")
class Faults(unittest.TestCase):
    def reports(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "reports.json")
            status, output, errors = run(*CLUSTER, "--reports", path, *arguments)
            with open(path, encoding="utf-8") as file:
                return status, output, errors, json.load(file)

    def test_a_clean_kernel_has_no_reports(self):
        status, output, errors, reports = self.reports("--policy", "all", "--schedules", "4")
        self.assertEqual((0, "", []), (status, errors, reports))
        self.assertIn("all orders in turns, 4 schedules", output)

    def test_strict_reports_each_cause_once(self):
        status, _, errors, reports = self.reports("--strict", "--policy", "all", "--schedules",
                                                  "8", "--seed", "3")
        self.assertEqual(3, status)
        self.assertIn("remote-arrival-scope", errors)
        causes = {(report["rule"]["name"], report["who"]["role"], report["who"]["line"])
                  for report in reports}
        self.assertEqual(len(causes), len(reports))
        for report in reports:
            self.assertEqual("practice", report["rule"]["basis"])
            self.assertEqual("consumer", report["who"]["role"])
            self.assertGreaterEqual(report["seed"], 3)
            self.assertNotIn("framework/", report["who"]["file"])

    def test_a_report_replays(self):
        _, _, _, reports = self.reports("--strict", "--policy", "random", "--schedules", "2")
        first = reports[0]
        again = self.reports("--strict", "--policy", first["policy"], "--seed",
                             str(first["seed"]))[3]
        self.assertEqual([first], again)

    def test_priorities_is_a_policy(self):
        status, output, errors = run(*CLUSTER, "--policy", "priorities")
        self.assertEqual((0, ""), (status, errors))
        self.assertIn("priorities order", output)


if __name__ == "__main__":
    unittest.main()

"""What all samples have in common: how they take a command line, how they fail, and --trace."""

import json
import os
import subprocess
import tempfile
import unittest

FOLDER = os.path.join(os.environ.get("WARPLINE_BUILD", "build/simulator"), "samples")
SMALL = ("--target", "simulator", "--m", "128", "--n", "128", "--k", "128")
# What makes a sample run one small kernel.
ONE_KERNEL = {
    "ladder": (*SMALL, "--version", "v3"),
    "matmul": SMALL,
    "mutate": ("--kernel", "howto_scaled_add", "--unchanged", "--schedules", "1"),
    "pipeline_alone": ("--target", "simulator"),
    "rows_bench": ("--target", "simulator", "--op", "rms_norm"),
    "simulator_speed": ("--schedules", "1", "--kernel", "warp_specialized"),
}
# What asks for the timeline of several.
SEVERAL_KERNELS = {
    "abstraction_cost": (),
    "ladder": SMALL,
    "matmul": (*SMALL, "--sweep"),
    "mutate": (),
    "rows_bench": (),
    "simulator_speed": (),
}


def run(sample, *arguments):
    program = os.path.join(FOLDER, "warpline_sample_" + sample)
    result = subprocess.run([program, *arguments], text=True, check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return result.returncode, result.stdout, result.stderr


def built(samples):
    return [name for name in sorted(samples)
            if os.path.exists(os.path.join(FOLDER, "warpline_sample_" + name))]


@unittest.skipUnless(built(ONE_KERNEL), "this build has no samples")
class Programs(unittest.TestCase):
    def test_a_wrong_option_is_one_line_and_status_2(self):
        for sample in built({*ONE_KERNEL, *SEVERAL_KERNELS}):
            with self.subTest(sample):
                status, output, errors = run(sample, "--bogus")
                self.assertEqual((2, ""), (status, output))
                self.assertRegex(errors, rf"^{sample}: .*--bogus.* \(see --help\)\n$")
                status, output, errors = run(sample, "--help")
                self.assertEqual((0, ""), (status, errors))
                self.assertIn("--help", output)

    @unittest.skipUnless(built({"mutate"}), "this build has no mutation tool")
    def test_every_family_can_be_mutated(self):
        # As it is, each subject is right; else there is nothing to mutate.
        status, output, errors = run("mutate", "--unchanged", "--schedules", "1")
        self.assertEqual((0, ""), (status, errors))
        self.assertIn("softmax", output)
        for line in output.splitlines():
            self.assertIn("right and without a report", line)

    def test_trace_writes_a_timeline(self):
        for sample in built(ONE_KERNEL):
            with self.subTest(sample), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "t.json")
                status, output, errors = run(sample, *ONE_KERNEL[sample], "--trace", path)
                self.assertEqual((0, ""), (status, errors))
                self.assertIn("timeline of ", output)
                with open(path, encoding="utf-8") as file:
                    self.assertGreater(len(json.load(file)["traceEvents"]), 50)
                self.assertEqual(["t.json"], os.listdir(folder))

    def test_a_wrong_name_is_one_line_before_any_work(self):
        for sample in built(ONE_KERNEL):
            with self.subTest(sample):
                status, output, errors = run(sample, *ONE_KERNEL[sample], "--trace", "/no/t.json")
                self.assertEqual((1, ""), (status, output))
                self.assertEqual(f"{sample}: cannot write the timeline to /no/t.json: there is no "
                                 "folder /no\n", errors)

    def test_a_timeline_is_of_one_kernel(self):
        for sample in built(SEVERAL_KERNELS):
            with self.subTest(sample), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "t.json")
                status, _, errors = run(sample, *SEVERAL_KERNELS[sample], "--trace", path)
                self.assertEqual(2, status)
                self.assertRegex(errors, rf"^{sample}: --trace is of one kernel: .*\n$")
                self.assertEqual([], os.listdir(folder))


if __name__ == "__main__":
    unittest.main()

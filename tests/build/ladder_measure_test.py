"""docs/ladder/measure.py takes medians of processes, and refuses what cannot be compared."""

import copy
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "docs", "ladder"))

import measure  # pylint: disable=wrong-import-position


def process(ratio, vendor):
    """As `ladder --bench --json` writes it, of one version."""
    return {"gpu": "G", "driver": "1", "date": "2026-11-29", "problem": {"m": 1, "n": 2, "k": 3},
            "vendor_tflops": vendor,
            "versions": [{"version": "v0", "configuration": {"stages": 1}, "tflops": 400 * ratio,
                          "ratio": ratio, "sm_clock_mhz": 1980, "relative_error": 2e-4,
                          "correct": True}]}


class Profiled(unittest.TestCase):
    def test_rows_are_versions_in_order(self):
        names = ["Kernel Name", *measure.METRICS.values()]
        lines = ["==PROF== Connected", ",".join(f'"{name}"' for name in names), '"","%","%"',
                 *(f'"kernel_entry","{90 + i}.04","{20 + i}.06"' for i in range(6)), "v5 right"]
        found = measure.profiled("\n".join(lines))
        self.assertEqual(list(measure.VERSIONS), list(found))
        self.assertEqual({"tensor_pipe_percent": 93.0, "dram_percent": 23.1}, found["v3"])
        with self.assertRaises(ValueError):
            measure.profiled("\n".join(lines[:-2]))


class Merged(unittest.TestCase):
    def test_medians(self):
        found = measure.merged([process(0.5, 760), process(0.53, 770), process(0.51, 766)],
                               {"v0": {"dram_percent": 17.7}})
        self.assertEqual(766, found["vendor_tflops"])
        line = found["versions"][0]
        self.assertEqual((0.51, 0.03, 204, 17.7),
                         (line["ratio"], line["spread"], line["tflops"], line["dram_percent"]))

    def test_other_configurations_and_wrong_results_are_refused(self):
        first = process(0.5, 760)
        for change in ({"configuration": {"stages": 2}}, {"correct": False}):
            other = copy.deepcopy(first)
            other["versions"][0].update(change)
            with self.assertRaises(ValueError):
                measure.merged([first, other], {})


if __name__ == "__main__":
    unittest.main()

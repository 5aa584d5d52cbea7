"""The driver of long simulator runs, with programs that stand for the samples."""

import contextlib
import io
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "simulator"))

import campaign  # pylint: disable=wrong-import-position

LADDER = """#!/bin/sh
case "$*" in
    --list*) echo "version  block m, n, k   stages"
             echo "v1       128 x  64 x 64   1"
             echo "v4       128 x 192 x 64   4 6"
             echo "3 of the 195 configurations that fit are built; rasters of 4 8 rows" ;;
    *v1*random*) echo "v1 is wrong"; exit 1 ;;
    *v4*tails*) sleep 60 ;;
    *) echo "all correct" ;;
esac
"""
# As `mutate` prints them, with fewer blanks.
HEAD = "kernel  sites  mutants  reported  equivalent  wrong  survived  score  seconds"
MUTATE = f"""#!/bin/sh
case "$*" in
    --list*) echo ladder_v4/128x64x16/2 ;;
    *) echo "{HEAD}"
       echo "ladder_v4/128x64x16/2  16  78  57  21  0  0  100.0 %  1.3" ;;
esac
"""


class Campaign(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.out = os.path.join(self.folder, "campaign.jsonl")
        for name, text in (("ladder", LADDER), ("mutate", MUTATE),
                           ("pipeline_alone", "#!/bin/sh\necho right\n")):
            path = os.path.join(self.folder, f"warpline_sample_{name}")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, 0o755)

    def campaign(self, *words):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            status = campaign.main(list(words))
        return status, printed.getvalue()

    def run_for(self, seconds, *groups):
        return self.campaign("run", self.folder, "--out", self.out, "--processes", "12",
                             "--budget", str(seconds), "--only", *groups)

    def test_a_run_is_taken_up_where_it_ended(self):
        status, printed = self.run_for(1, "mutants", "schedules")
        self.assertEqual(0, status)
        self.assertIn("mutants: 1 of 1 pieces done, 0 failed", printed)
        # v1, two configurations of v4, pipeline_alone.
        self.assertIn("schedules: 4 of 4 pieces done, 0 failed", printed)
        _, again = self.run_for(1, "mutants", "schedules")
        self.assertNotIn("ok", again)
        self.assertIn("schedules: 4 of 4", again)

    def test_what_fails_and_what_is_not_done_is_named(self):
        status, printed = self.run_for(3, "shapes")
        self.assertEqual(1, status)
        self.assertIn("shapes: v1 128x64x64/1 random 1/8: FAILED", printed)
        self.assertIn("shapes: 46 of 54 pieces done, 8 failed", printed)
        self.assertIn("failed: v1 128x64x64/1 random 1/8; v1 128x64x64/1 random 2/8;", printed)
        self.assertIn("not done: v4 128x192x64/4 tails 1/4; v4 128x192x64/4 tails 2/4;", printed)

    def test_the_table_of_mutants(self):
        self.run_for(1, "mutants")
        status, printed = self.campaign("mutants", self.out)
        self.assertEqual(0, status)
        self.assertIn("| `ladder_v4/128x64x16/2` | 16 | 78 | 57 | 21 | 0 | 0 | 100.0 % |", printed)

    def test_names_are_ordered_by_their_numbers(self):
        names = ["v/128x64x64/10", "softmax/60x40", "v/128x64x64/9", "v/64x32x16/2"]
        ordered = sorted((("mutants", name) for name in names), key=campaign.naturally)
        self.assertEqual(["softmax/60x40", "v/64x32x16/2", "v/128x64x64/9", "v/128x64x64/10"],
                         [name for _, name in ordered])


if __name__ == "__main__":
    unittest.main()

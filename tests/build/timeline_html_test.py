"""The timeline's page in a real browser: headless Chromium runs it with a script that presses keys,
turns the wheel and hovers, and writes what it saw into the page."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.environ.get("WARPLINE_BUILD", "")
SAMPLE = os.path.join(BUILD, "samples", "warpline_sample_matmul")
CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome", "chrome")
                 if (found := shutil.which(name))), None)

SCENARIO = """
<script>
const seen = {errors: []};
window.onerror = message => { seen.errors.push(String(message)); };
const key = name => canvas.dispatchEvent(
    new KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true}));
const pointer = (type, x, y) => {
  const box = canvas.getBoundingClientRect();
  canvas.dispatchEvent(new PointerEvent(type,
      {clientX: box.left + x, clientY: box.top + y, bubbles: true, pointerId: 1}));
};
const view = () => [painter.from, painter.to];
const wheel = (x, delta) => {
  const box = canvas.getBoundingClientRect();
  const event = new WheelEvent("wheel",
      {deltaY: delta, clientX: box.left + x, clientY: box.top + 80, cancelable: true});
  canvas.dispatchEvent(event);
  return event.defaultPrevented;
};
seen.whole = view();
const middle_x = (label_width + painter.width) / 2;
const under = painter.time(middle_x);
seen.wheel_prevented = wheel(middle_x, -500);
seen.zoomed = view();
seen.under = [under, painter.time(middle_x)];
key("+");
seen.zoomed_more = view();
key("ArrowRight");
seen.panned = view();
pointer("pointerdown", 500, 100);
pointer("pointermove", 400, 100);
pointer("pointerup", 400, 100);
seen.dragged = view();
key("0");
seen.whole_again = view();

// Hover over the first multiply of the first tensor-core track.
const r = painter.rows.findIndex(row => row.events && data.tracks[row.track].engine === "tensor");
const row = painter.rows[r];
const multiply = event_of(data.tracks[row.track], row.events[0]);
show(multiply.begin - 100, multiply.end + 100);
painter.scroll = Math.max(0, r * row_height - 100);
painter.paint();
pointer("pointermove", painter.x((multiply.begin + multiply.end) / 2), painter.y(r) + 8);
seen.tip = {hidden: tip.hidden, text: tip.textContent, cycles: multiply.end - multiply.begin};
pointer("pointermove", 3, painter.y(r) + 8);
seen.tip_gone = tip.hidden;

key("0");
key("n");
seen.first = document.getElementById("chosen").textContent;
key("n");
seen.second = document.getElementById("chosen").textContent;
key("ArrowDown");
seen.other_track = painter.chosen.track;
key("Enter");
seen.entered = view();
key("b");
seen.bubble = view();
key("PageDown");
seen.focusable = canvas.tabIndex === 0 && document.querySelectorAll("button").length >= 5;
const ground = () => getComputedStyle(document.body).backgroundColor;
const before = ground();
key("t");
seen.grounds = [before, ground()];
document.getElementById("arrows").click();
seen.arrows = [painter.arrows, document.getElementById("arrows").getAttribute("aria-pressed")];
seen.legend = document.querySelectorAll("#legend li").length;
seen.totals = [...document.querySelectorAll("#totals tbody tr")].map(
    line => [line.dataset.role, line.dataset.what, Number(line.dataset.cycles)]);
// From the events themselves, not from the summary.
seen.sums = {};
for (const track of data.tracks) {
  if (track.engine !== "warp") continue;
  for (let i = 0; i * fields < track.e.length; ++i) {
    const event = event_of(track, i);
    const name = track.role + " " + event.kind + " " + event.name;
    seen.sums[name] = (seen.sums[name] || 0) + event.end - event.begin;
  }
}
seen.rings = data.rings.map(ring => Math.max(...ring.steps.filter((_, i) => i % 2 === 1)));
painter.paint();
const drawn = painter.g.getImageData(0, 0, canvas.width, canvas.height).data;
const shades = new Set();
for (let i = 0; i < drawn.length; i += 4) {
  shades.add(drawn[i] << 16 | drawn[i + 1] << 8 | drawn[i + 2]);
}
seen.shades = shades.size;
const out = document.createElement("pre");
out.id = "seen";
out.textContent = JSON.stringify(seen);
document.body.append(out);
</script>
</body>"""


def chromium(*arguments):
    with tempfile.TemporaryDirectory() as profile:
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions",
                   f"--user-data-dir={profile}", "--window-size=1300,1000", *arguments]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              timeout=120, check=True).stdout.decode()


@unittest.skipUnless(CHROMIUM, "there is no Chromium")
@unittest.skipUnless(os.path.exists(SAMPLE), "this build has no sample matmul")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.page = os.path.join(cls.folder.name, "t.html")
        cls.trace = os.path.join(cls.folder.name, "t.json")
        for path in (cls.page, cls.trace):
            subprocess.run([SAMPLE, "--target", "simulator", "--m", "256", "--n", "256",
                            "--trace", path], stdout=subprocess.DEVNULL, check=True)
        with open(cls.page, encoding="utf-8") as file:
            text = file.read()
        driven = os.path.join(cls.folder.name, "driven.html")
        with open(driven, "w", encoding="utf-8") as file:
            file.write(text.replace("</body>", SCENARIO))
        dom = chromium("--dump-dom", "--virtual-time-budget=5000", f"file://{driven}")
        found = re.search(r'<pre id="seen">(.*?)</pre>', dom, re.DOTALL)
        cls.seen = json.loads(found.group(1).replace("&lt;", "<").replace("&gt;", ">")
                              .replace("&amp;", "&")) if found else None
        with open(cls.trace, encoding="utf-8") as file:
            cls.summary = json.load(file)["otherData"]["summary"]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.assertIsNotNone(self.seen, "the page's script did not come to its end")
        self.assertEqual(self.seen["errors"], [])

    def span(self, name):
        return self.seen[name][1] - self.seen[name][0]

    def test_zoom_and_pan(self):
        self.assertTrue(self.seen["wheel_prevented"])
        self.assertLess(self.span("zoomed"), self.span("whole") * 0.6)
        before, after = self.seen["under"]
        self.assertAlmostEqual(before, after, delta=2)  # what is under the pointer stays there
        self.assertLess(self.span("zoomed_more"), self.span("zoomed"))
        self.assertGreater(self.seen["panned"][0], self.seen["zoomed_more"][0])
        self.assertAlmostEqual(self.span("panned"), self.span("zoomed_more"), delta=1)
        self.assertGreater(self.seen["dragged"][0], self.seen["panned"][0])
        self.assertEqual(self.seen["whole_again"], self.seen["whole"])

    def test_tooltip(self):
        tip = self.seen["tip"]
        self.assertFalse(tip["hidden"])
        self.assertIn("tensor cores", tip["text"])
        self.assertIn(f"{tip['cycles']:,} cycles", tip["text"])
        self.assertTrue(self.seen["tip_gone"])

    def test_keys(self):
        self.assertIn("of CTA", self.seen["first"])
        self.assertNotEqual(self.seen["first"], self.seen["second"])
        self.assertNotEqual(self.seen["other_track"], 0)
        self.assertLess(self.span("entered"), self.span("whole"))
        self.assertTrue(self.seen["focusable"])
        self.assertEqual(self.seen["arrows"], [False, "false"])

    def test_the_longest_bubble_is_shown(self):
        bubble = self.summary["longest_bubble"]
        self.assertLessEqual(self.seen["bubble"][0], bubble["begin"])
        self.assertGreaterEqual(self.seen["bubble"][1], bubble["begin"] + bubble["cycles"])

    def test_light_and_dark(self):
        light, dark = self.seen["grounds"]
        self.assertNotEqual(light, dark)

    def test_totals_are_the_summary_s_and_the_events(self):
        wanted = []
        for role in self.summary["roles"]:
            wanted.append((role["role"], role["waiting_cycles"]))
            wanted += [(role["role"], share["cycles"]) for share in role["shares"]
                       if share["cycles"] > 0]
        self.assertEqual([(role, cycles) for role, _, cycles in self.seen["totals"]], wanted)
        for role in self.summary["roles"]:
            for share in role["shares"]:
                name = f"{role['role']} {share['kind']} {share['name']}"
                self.assertEqual(self.seen["sums"][name], share["cycles"], name)

    def test_legend_rings_and_paint(self):
        self.assertGreaterEqual(self.seen["legend"], 10)
        self.assertTrue(all(0 < most <= 2 for most in self.seen["rings"]))
        self.assertGreater(self.seen["shades"], 8)

    def test_it_looks_like_something_in_light_and_dark(self):
        sizes = []
        for name, options in (("light", []), ("dark", ["--blink-settings=preferredColorScheme=0"])):
            picture = os.path.join(self.folder.name, f"{name}.png")
            chromium(*options, f"--screenshot={picture}", f"file://{self.page}")
            with open(picture, "rb") as file:
                sizes.append(file.read())
        self.assertGreater(min(len(size) for size in sizes), 20_000)
        self.assertNotEqual(sizes[0], sizes[1])


if __name__ == "__main__":
    if not CHROMIUM or not os.path.exists(SAMPLE):
        print("skipped: " + ("there is no Chromium" if not CHROMIUM
                             else "this build has no sample matmul"))
        sys.exit(4)
    unittest.main()

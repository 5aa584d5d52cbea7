"""The documentation site builds without a warning, and dead links, missing snippets, pictures and
pages are warnings."""

import html.parser
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
SITE = os.path.join(ROOT, "docs", "site")
CONTENTS = "```{toctree}\n:hidden:\n\ndocs/page\n```\n"
SNIPPET = "```{literalinclude} a.h\n:language: cpp\n"
MISSING = next((tool for tool in ("sphinx-build", "doxygen") if not shutil.which(tool)), None)


class Page(html.parser.HTMLParser):
    """The anchors of a page of the site, and where its links lead."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links = {""}, []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.anchors.add(value)
            elif name in ("href", "src") and not urllib.parse.urlparse(value).scheme:
                self.links.append(urllib.parse.unquote(value))


def dead_links(folder):
    pages = {}
    for top, _, names in os.walk(folder):
        pages.update({os.path.join(top, name): Page(os.path.join(top, name))
                      for name in names if name.endswith(".html")})
    for path, page in sorted(pages.items()):
        for link in page.links:
            target, _, anchor = link.partition("#")
            place = os.path.normpath(os.path.join(os.path.dirname(path), target.split("?")[0]))
            place = place if target else path
            known = pages[place].anchors if place in pages else {anchor}
            if not os.path.exists(place) or anchor not in known:
                yield f"{os.path.relpath(path, folder)}: {link}"


def build_tiny(page, header=None):
    """A site of README.md, one page with that text and perhaps the reference of a header: exit
    status, warnings, and the page as HTML.
    """
    files = {
        "README.md": "# Top\n\n[page](docs/page.md)\n",
        "docs/page.md": page,
        "docs/a.h": "int first;\n// [part]\nint second;\n// [part]\n",
        "docs/picture.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
        "docs/site/contents.md": CONTENTS,
    }
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        if header:
            run_doxygen(root, header)
        result = subprocess.run(
            ["sphinx-build", "-q", "-E", "-W", "--keep-going", "-n", "-b", "html", "-c", SITE,
             root, os.path.join(root, "out")], text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "WARPLINE_DOXYGEN": os.path.join(root, "doxygen")})
        path = os.path.join(root, "out", "docs", "page.html")
        text = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                text = html.unescape(re.sub(r"<[^>]+>", "", file.read()))
    return result.returncode, result.stdout, text


def run_doxygen(root, header):
    """Of the header warpline/a.h, with the Doxyfile of the site but for what it reads."""
    folder = os.path.join(root, "framework", "warpline")
    os.makedirs(folder)
    os.makedirs(os.path.join(root, "doxygen"))
    with open(os.path.join(folder, "a.h"), "w", encoding="utf-8") as file:
        file.write(header)
    with open(os.path.join(SITE, "Doxyfile"), encoding="utf-8") as file:
        settings = file.read()
    subprocess.run(["doxygen", "-"], input=f"{settings}\nINPUT = {folder}\n", text=True, check=True,
                   cwd=ROOT, env={**os.environ, "WARPLINE_DOXYGEN": os.path.join(root, "doxygen")})


HEADER = """\
// What the header is for.
#pragma once

namespace warpline::inline WARPLINE_TARGET {

namespace a_detail {
/// Not for users.
int hidden();
}  // namespace a_detail

struct Config {
  /// How many.
  int count = 2;
  bool strict = false;
};

/// Adds.
template <class T, int Count>
WARPLINE_DEVICE T add(const T& first, SourceLine where = SourceLine::current());

int without_a_comment();

template <class T, Kind K>
class Slot;

/// The one for copies.
template <class T>
class Slot<T, Kind::copies> {
 public:
  /// Waits until `count` are there.
  void wait(int count = 1);

 private:
  /// Inside.
  int inside_;
};

}  // namespace warpline::inline WARPLINE_TARGET
"""


class Site(unittest.TestCase):
    def test_site(self):
        build = os.environ.get("WARPLINE_BUILD") or os.path.join(ROOT, "build")
        output = os.path.join(build, "docs")
        result = subprocess.run([os.path.join(ROOT, "docs", "build"), "--output", output],
                                text=True, check=False, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)
        self.assertEqual(0, result.returncode, result.stdout)
        for page, words in (("README.html", "warp-specialised"),
                            ("docs/ladder/v3.html", "release_after"),
                            ("docs/api/pipeline.html", "Prepares the barriers"),
                            ("index.html", "README.html")):
            with open(os.path.join(output, "html", page), encoding="utf-8") as file:
                self.assertIn(words, file.read(), page)
        self.assertEqual([], list(dead_links(os.path.join(output, "html"))))

    def test_dead_links_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("a.html", '<a href="b.html#there"><a href="b.html#not">'),
                               ("b.html", '<p id="there"><img src="c.svg"><a href="x:y">')):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            self.assertEqual(["a.html: b.html#not", "b.html: c.svg"], list(dead_links(folder)))

    def test_a_right_page_passes(self):
        status, output, _ = build_tiny(
            "# Page\n\n## Part\n\n[top](../README.md), [here](#part), [there](../README.md#top), "
            "[a.h](a.h)\n\n![picture](picture.svg)\n\n" + SNIPPET +
            ':start-after: "// [part]"\n:end-before: "// [part]"\n```\n')
        self.assertEqual((0, ""), (status, output))

    def test_wrong_pages_fail(self):
        # One build each: a page that fails for another reason would hide that its own is not found.
        for page, words in (
            ("[dead](nowhere.md)\n", "nowhere.md"),
            ("[dead](../README.md#nothing)\n", "nothing"),
            ("![dead](nowhere.svg)\n", "nowhere.svg"),
            (SNIPPET.replace("a.h", "b.h") + "```\n", "b.h"),
            (SNIPPET + ":start-at: int third\n```\n", "int third"),
            ("```{header} warpline/nothing.h\n```\n", "warpline/nothing.h"),
        ):
            status, output, _ = build_tiny("# Page\n\n" + page)
            self.assertNotEqual(0, status, page)
            self.assertIn(words, output)
            self.assertIn("page.md", output)

    def test_the_reference_of_a_header(self):
        status, output, text = build_tiny("# Page\n\n```{header} warpline/a.h\n```\n", HEADER)
        self.assertEqual((0, ""), (status, output))
        for words in ("What the header is for.",
                      "struct Config {\n  /// How many.\n  int count = 2;\n  bool strict = false;",
                      "template <class T, int Count>\nT add(const T& first);", "Adds.",
                      "template <class T>\nclass Slot<T, Kind::copies>;", "The one for copies.",
                      "void wait(int count=1);", "Waits until count are there."):
            self.assertIn(words, text)
        for words in ("hidden", "without_a_comment", "inside_", "WARPLINE", "SourceLine"):
            self.assertNotIn(words, text)

    def test_a_header_on_no_page(self):
        status, output, _ = build_tiny("# Page\n", HEADER)
        self.assertNotEqual(0, status)
        self.assertIn("the header warpline/a.h is on no page of the reference", output)


if __name__ == "__main__":
    if MISSING:
        print(f"SKIPPED: {MISSING} is not installed (docs/build installs it)")
        sys.exit(4)
    unittest.main()

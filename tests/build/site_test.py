"""The documentation site builds without a warning, and dead links, missing snippets, pictures and
pages are warnings."""

import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
SITE = os.path.join(ROOT, "docs", "site")
CONTENTS = "```{toctree}\n:hidden:\n\ndocs/page\n```\n"
SNIPPET = "```{literalinclude} a.h\n:language: cpp\n"
MISSING = next((tool for tool in ("sphinx-build", "doxygen") if not shutil.which(tool)), None)


def build_tiny(page):
    """A site of README.md and one page with that text: exit status and warnings."""
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
        result = subprocess.run(
            ["sphinx-build", "-q", "-E", "-W", "--keep-going", "-n", "-b", "html", "-c", SITE,
             root, os.path.join(root, "out")], text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "WARPLINE_DOXYGEN": os.path.join(root, "none")})
    return result.returncode, result.stdout


@unittest.skipIf(MISSING, f"{MISSING} is not installed (docs/build installs it)")
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

    def test_a_right_page_passes(self):
        status, output = build_tiny(
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
            status, output = build_tiny("# Page\n\n" + page)
            self.assertNotEqual(0, status, page)
            self.assertIn(words, output)
            self.assertIn("page.md", output)


if __name__ == "__main__":
    unittest.main()

"""What a formatter does not check: no file over 500 lines, no line over 100 columns, clean ends."""

import os
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
FOLDERS = (".ci", "docs", "framework", "kernels", "samples", "tests")
# Recorded outputs and the like are data.
CHECKED = (".h", ".cpp", ".cu", ".in", ".py", ".css", ".cmake", ".txt", ".sh", "")
MAX_LINES = 500
MAX_COLUMNS = 100


def sources():
    for name in ("CMakeLists.txt", ".clang-format", ".clang-tidy"):
        yield os.path.join(ROOT, name)
    for top in FOLDERS:
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            if "__pycache__" not in folder:
                yield from (os.path.join(folder, name) for name in names
                            if os.path.splitext(name)[1] in CHECKED)


def problems(path):
    name = os.path.relpath(path, ROOT)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    lines = text.split("\n")
    if text and not text.endswith("\n"):
        yield f"{name}: does not end with a line break"
    if len(lines) - 1 > MAX_LINES:
        yield f"{name}: {len(lines) - 1} lines, at most {MAX_LINES}"
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS:
            yield f"{name}:{number}: {len(line)} columns, at most {MAX_COLUMNS}"
        if line != line.rstrip() or "\t" in line:
            yield f"{name}:{number}: trailing blanks or a tab"


class Style(unittest.TestCase):
    def test_sources(self):
        found = [problem for path in sources() for problem in problems(path)]
        if found:
            self.fail("\n" + "\n".join(found))


if __name__ == "__main__":
    unittest.main()

"""The documentation agrees with the sources, and check_docs notices where it does not."""

import os
import tempfile
import unittest

import check_docs

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))


class Docs(unittest.TestCase):
    def test_documentation(self):
        found = list(check_docs.problems(ROOT))
        if found:
            self.fail("\n" + "\n".join(found))


class Check(unittest.TestCase):
    def problems(self, page):
        files = {
            "README.md": page,
            "docs/simulator.md": "`deadlock`",
            "docs/design.md": "| `stuck` | `deadlock` | all go on | judgement: it hangs |",
            "framework/simulator/rules.h": "enum class FaultKind {\n  deadlock,\n};\n",
            "framework/simulator/rule_list.h":
                'inline constexpr Rule stuck{.name = "stuck",\n .kind = FaultKind::deadlock, '
                '.basis = Basis::judgement, .source = "it hangs", .text = "all "\n "go on"};\n',
            "framework/a.h": 'void f() {\n  // [part]\n  int i;\n  // [part]\n'
                             '  g("too "\n    "long");\n}\n',
        }
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = os.path.join(root, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            return list(check_docs.problems(root))

    def test_right_pages_pass(self):
        for page in (
            "<!-- from framework/a.h [part] -->\n```cpp\nint i;\n```\n",
            "<!-- from framework/a.h -->\n```cpp\nint i;\n```\n",
            "<!-- messages -->\n`too long`\n<!-- /messages -->\n",
            "# A `b` heading\n[here](#a-b-heading), [there](docs/design.md)\n",
            "```\n[no](link)\n```\n",
        ):
            self.assertEqual([], self.problems(page), page)

    def test_wrong_pages_fail(self):
        for page, problem in (
            ("```cpp\nint i;\n```\n", "README.md:1: a cpp block without"),
            ("<!-- from framework/a.h [part] -->\n```cpp\nint j;\n```\n",
             "README.md:2: not what framework/a.h has between"),
            ("<!-- from framework/a.h -->\n```cpp\nint j;\n```\n", "README.md:2: not an excerpt"),
            ("<!-- from framework/b.h -->\n```cpp\nint i;\n```\n", "README.md:2: there is no"),
            ("<!-- messages -->\n`too short`\n<!-- /messages -->\n",
             "README.md:2: no source says `too short`"),
            ("text\n[there](docs/nowhere.md)\n", "README.md:2: its link docs/nowhere.md"),
            ("[there](docs/design.md#no)\n", "README.md:1: its link docs/design.md#no names no"),
        ):
            found = self.problems(page)
            self.assertEqual(1, len(found), page)
            self.assertIn(problem, found[0])


if __name__ == "__main__":
    unittest.main()

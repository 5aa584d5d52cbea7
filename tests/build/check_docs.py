#!/usr/bin/env python3
"""Checks that the documentation agrees with the sources: check_docs.py [ROOT]

* Each ```cpp block follows a line `<!-- from PATH [REGION] -->` and is a verbatim excerpt: what is
  between the two `// [REGION]` of PATH, or without REGION any lines of PATH, indented less or not.
* What stands in backticks between `<!-- messages -->` and `<!-- /messages -->` is text of a string
  in framework/ or kernels/.
* Each kind of fault in framework/simulator/options.h is named in docs/simulator.md and
  docs/design.md.
* Relative links lead to a file, and `#anchors` to a heading.

Prints a line for each mismatch and exits with 1 if there is one.
"""

import glob
import os
import re
import sys
import textwrap

FROM = re.compile(r"<!-- from (\S+)(?: \[(\w+)\])? -->")
REGION = re.compile(r"^\s*// \[\w+\]\n?", re.MULTILINE)
# A link or image, but not one in backticks.
LINK = re.compile(r"(?<!`)\[[^\]]*\]\(([^)\s]+)\)")
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def pages(root):
    found = glob.glob(os.path.join(root, "*.md"))
    return sorted(found + glob.glob(os.path.join(root, "docs", "**", "*.md"), recursive=True))


def blocks(text):
    """(line number, language, the line before, content) of each fenced block."""
    lines = text.split("\n")
    start = None
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is None:
            start = number
        else:
            before = next((past for past in reversed(lines[:start]) if past.strip()), "")
            content = "\n".join(lines[start + 1:number]) + "\n"
            yield start + 1, lines[start][3:].strip(), before.strip(), content
            start = None


def without_blocks(text):
    return re.sub(r"^```.*?^```", lambda match: "\n" * match.group().count("\n"), text,
                  flags=re.MULTILINE | re.DOTALL)


def excerpt_problem(root, before, content):
    match = FROM.fullmatch(before)
    if not match:
        return "a cpp block without `<!-- from PATH [REGION] -->` before it"
    path, region = match.groups()
    if not os.path.isfile(os.path.join(root, path)):
        return f"there is no {path}"
    source = read(os.path.join(root, path))
    if region is None:
        wanted = textwrap.dedent(content)
        depths = {len(line) - len(line.lstrip()) for line in source.split("\n")}
        if any(textwrap.indent(wanted, " " * depth) in source for depth in depths):
            return None
        return f"not an excerpt of {path}"
    parts = re.split(rf"^\s*// \[{region}\]\n", source, flags=re.MULTILINE)
    if len(parts) != 3:
        return f"{path} has {len(parts) - 1} lines `// [{region}]`, not 2"
    expected = textwrap.dedent(REGION.sub("", parts[1])).strip("\n")
    if expected != content.strip("\n"):
        return f"not what {path} has between its `// [{region}]`"
    return None


def literals(root):
    """The strings of the sources; neighbours are joined, as the compiler does."""
    text = ""
    for folder in ("framework", "kernels"):
        for path in sorted(glob.glob(os.path.join(root, folder, "**", "*.*"), recursive=True)):
            if path.endswith((".h", ".cpp")):
                text += re.sub(r'"\s*\n\s*"', "", read(path))
    return "\n".join(STRING.findall(text))


def message_problems(text, strings):
    for match in re.finditer(r"<!-- messages -->(.*?)<!-- /messages -->", text, re.DOTALL):
        for message in re.finditer(r"`([^`]+)`", match.group(1)):
            if " ".join(message.group(1).split()) not in strings:
                line = text.count("\n", 0, match.start(1) + message.start()) + 1
                yield line, f"no source says `{message.group(1)}`"


def anchor(heading):
    words = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
    return words.strip().replace(" ", "-")


def link_problems(path, text):
    plain = without_blocks(text)
    for match in LINK.finditer(plain):
        target = match.group(1)
        if re.match(r"[a-z]+:", target):
            continue
        file, _, fragment = target.partition("#")
        line = plain.count("\n", 0, match.start()) + 1
        place = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if not os.path.exists(place):
            yield line, f"its link {target} leads nowhere"
        elif fragment:
            headings = re.findall(r"^#+ (.*)$", without_blocks(read(place)), re.MULTILINE)
            if fragment not in map(anchor, headings):
                yield line, f"its link {target} names no heading"


def rules(root):
    """The simulator's rules, as rows of the table in docs/design.md."""
    basis_names = {"ptx": "PTX", "cuda": "CUDA"}
    text = read(os.path.join(root, "framework", "simulator", "rule_list.h"))
    for rule in re.findall(r"inline constexpr Rule \w+\{(.*?)\};", text, re.DOTALL):
        fields = {}
        for match in re.finditer(r"\.(\w+)\s*=\s*((?:\"(?:[^\"\\]|\\.)*\"\s*)+|[\w:]+)", rule):
            parts = re.findall(r"\"((?:[^\"\\]|\\.)*)\"", match.group(2))
            fields[match.group(1)] = "".join(parts) if parts else match.group(2).split("::")[-1]
        basis = basis_names.get(fields["basis"], fields["basis"])
        strict = "; only with `Options::strict`" if fields.get("strict_only") == "true" else ""
        yield (
            f"| `{fields['name']}` | `{fields['kind']}` | {fields['text']} "
            f"| {basis}: {fields['source']}{strict} |"
        )


def fault_problems(root):
    header = os.path.join(root, "framework", "simulator", "rules.h")
    enumeration = re.search(r"enum class FaultKind \{(.*?)\}", read(header), re.DOTALL)
    text = read(os.path.join(root, "docs/simulator.md"))
    for kind in re.findall(r"^\s*(\w+),", enumeration.group(1), re.MULTILINE):
        if f"`{kind}`" not in text:
            yield f"docs/simulator.md:1: does not name the fault `{kind}`"
    table = [
        line
        for line in read(os.path.join(root, "docs/design.md")).splitlines()
        if re.match(r"\| `[a-z0-9-]+` \| `\w+` \|", line)
    ]
    expected = list(rules(root))
    for row in expected:
        if row not in table:
            yield f"docs/design.md:1: the table of rules lacks this row: {row}"
    for row in table:
        if row not in expected:
            yield f"docs/design.md:1: the table of rules has a row for no rule: {row}"


def problems(root):
    strings = literals(root)
    for path in pages(root):
        name = os.path.relpath(path, root)
        text = read(path)
        for line, language, before, content in blocks(text):
            problem = excerpt_problem(root, before, content) if language == "cpp" else None
            if problem:
                yield f"{name}:{line}: {problem}"
        for line, problem in [*message_problems(text, strings), *link_problems(path, text)]:
            yield f"{name}:{line}: {problem}"
    yield from fault_problems(root)


def main(arguments):
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.abspath(arguments[0] if arguments else os.path.join(here, "..", ".."))
    found = list(problems(root))
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

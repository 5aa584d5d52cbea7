"""Prints how many of CTest's tests passed, failed and were skipped: summarize.py JUNIT_FILE."""

import re
import sys
import xml.etree.ElementTree as ElementTree


def outcome(test):
    if test.get("status") == "run":
        return "passed"
    # A test whose program is missing has the same status as one that says it skips.
    skipped = test.find("skipped")
    says_so = skipped is not None and skipped.get("message", "").startswith("SKIP_")
    return "skipped" if says_so else "failed"


def reason(test):
    """What a skipped test printed: `SKIPPED: why`. Catch2 3 has words and line breaks between."""
    output = test.findtext("system-out", "")
    match = re.search(r"SKIPPED:\s+(?:explicitly with message:\s+)?(.+)", output)
    return match.group(1) if match else "no reason given"


def main(path):
    try:
        tests = ElementTree.parse(path).getroot().findall("testcase")
    except (OSError, ElementTree.ParseError) as error:
        sys.exit(f"no test results: {error}")
    outcomes = [outcome(test) for test in tests]
    for test, result in zip(tests, outcomes):
        if result == "failed":
            print(f"FAILED: {test.get('name')}")
        elif result == "skipped":
            print(f"SKIPPED: {test.get('name')}: {reason(test)}")
    passed, failed, skipped = (outcomes.count(name) for name in ("passed", "failed", "skipped"))
    if not outcomes:
        print("No test has such a name.")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

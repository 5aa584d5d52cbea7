"""Units of a configuration space: what a change rebuilds, and what a unit includes."""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from nvcc import CUDA_INCLUDES, CXX, INCLUDES, ROOT  # noqa: E402

BUILD = os.environ.get("WARPLINE_BUILD", "")
CMAKE = os.environ.get("WARPLINE_CMAKE", "cmake")

PROJECT = f"""
cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES CXX)
include("{ROOT}/framework/cmake/WarplineSpace.cmake")
warpline_list_space(points lister.cpp INCLUDES "${{CMAKE_CURRENT_SOURCE_DIR}}")
warpline_space_units("${{CMAKE_CURRENT_SOURCE_DIR}}/unit.cpp.in" unit POINTS ${{points}}
                     SUBSET subset FULL full)
message("subset: ${{subset}}")
message("full: ${{full}}")
"""
LISTER = """
#include <cstdio>
#include "values.h"
int main() {
  for (int value : values) std::printf("%s size=%d\\n", value > 2 ? "full" : "subset", value);
}
"""


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


class ListedSpace(unittest.TestCase):
    def configure(self, folder):
        result = subprocess.run([CMAKE, "-S", folder, "-B", f"{folder}/build",
                                 f"-DCMAKE_CXX_COMPILER={CXX}"], text=True, check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(0, result.returncode, result.stdout)
        return dict(re.findall(r"^(subset|full): (.*)$", result.stdout, re.MULTILINE))

    def test_a_new_point_is_a_new_unit_and_no_other_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, "CMakeLists.txt", PROJECT)
            write(folder, "lister.cpp", LISTER)
            write(folder, "unit.cpp.in", "int @UNIT@() { return @SIZE@; }\n")
            write(folder, "values.h", "constexpr int values[] = {1, 3};\n")
            self.assertEqual({"subset": "unit_1", "full": "unit_1;unit_3"},
                             self.configure(folder))
            program = os.stat(f"{folder}/build/lister").st_mtime_ns
            units = {name: os.stat(name).st_mtime_ns
                     for name in glob.glob(f"{folder}/build/units/*.cpp")}
            self.assertEqual(2, len(units))

            self.configure(folder)
            self.assertEqual(program, os.stat(f"{folder}/build/lister").st_mtime_ns)

            write(folder, "values.h", "constexpr int values[] = {1, 2, 3};\n")
            later = program + 10**9  # an edit within the clock's grain is still later
            os.utime(f"{folder}/values.h", ns=(later, later))
            self.assertEqual({"subset": "unit_1;unit_2", "full": "unit_1;unit_2;unit_3"},
                             self.configure(folder))
            for name, time in units.items():
                self.assertEqual(time, os.stat(name).st_mtime_ns)


@unittest.skipUnless(BUILD, "WARPLINE_BUILD names no build folder: run it through tests/run")
class LadderUnits(unittest.TestCase):
    def headers_of(self, unit):
        result = subprocess.run([CXX, "-std=c++20", "-M", f"-I{ROOT}", *INCLUDES, *CUDA_INCLUDES,
                                 unit], text=True, check=True, stdout=subprocess.PIPE)
        return set(result.stdout.replace("\\\n", " ").split())

    def test_each_includes_its_own_version_and_nothing_heavy(self):
        for version in range(6):
            units = sorted(glob.glob(f"{BUILD}/samples/ladder/units/v_{version}_*.cpp"))
            self.assertTrue(units)
            with open(units[0], encoding="utf-8") as file:
                first = re.findall("#include .*", file.read())
            for unit in units:
                with open(unit, encoding="utf-8") as file:
                    self.assertEqual(first, re.findall("#include .*", file.read()))
            headers = self.headers_of(units[0])
            found = {name for name in headers if re.search(r"/samples/ladder/v\d\.h$", name)}
            self.assertEqual({f"{ROOT}/samples/ladder/v{version}.h"}, found)
            # v3 is the library's kernel; no other version may depend on it.
            library = any(name.endswith("/matmul/warp_specialized.h") for name in headers)
            self.assertEqual(version == 3, library)
            names = [name.removeprefix(ROOT) for name in headers]
            for heavy in ("boost/", "nlohmann/", "/fmt/", "CLI/", "/iostream", "framework/tuner/"):
                self.assertFalse([name for name in names if heavy in name], heavy)


if __name__ == "__main__":
    unittest.main()

"""One kernel header, both targets, one program: unoptimised, linked in both orders."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from nvcc import CUDA, CUDA_INCLUDES, CXX, INCLUDES, NVCC, NVCC_FLAGS, ROOT  # noqa: E402

SOURCES = os.path.join(ROOT, "tests/build/two_targets")
# Of the build: it knows nothing of the framework, so there is nothing in it to be mixed up.
SIMULATOR = os.environ.get("WARPLINE_SIMULATOR_LIBRARY", "")


@unittest.skipUnless(NVCC and SIMULATOR, "this build has not both targets")
class TwoTargets(unittest.TestCase):
    def test_in_both_link_orders(self):
        with tempfile.TemporaryDirectory() as folder:
            def compiled(source, *command):
                target = os.path.join(folder, os.path.basename(source) + ".o")
                subprocess.run([*command, "-c", source, "-o", target], check=True)
                return target

            cxx = [CXX, "-std=c++20", "-O0", *INCLUDES, *CUDA_INCLUDES]
            main = compiled(f"{SOURCES}/main.cpp", *cxx)
            cpu = compiled(f"{SOURCES}/simulator.cpp", *cxx)
            gpu = compiled(f"{SOURCES}/gpu.cu", NVCC, "-O0", *NVCC_FLAGS, *INCLUDES)
            for order in ([cpu, gpu], [gpu, cpu]):
                program = os.path.join(folder, "program")
                subprocess.run([NVCC, *NVCC_FLAGS, main, *order, SIMULATOR, "-lboost_context",
                                f"-L{CUDA}/lib", "-o", program], check=True)
                result = subprocess.run([program], check=False, text=True, stdout=subprocess.PIPE)
                self.assertEqual(result.returncode, 0, result.stdout)


if __name__ == "__main__":
    unittest.main()

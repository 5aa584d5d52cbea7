"""`cmake --install` and find_package(warpline): builds and runs the outside project ../package."""

import os
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("WARPLINE_BUILD", "")
CMAKE = os.environ.get("WARPLINE_CMAKE", "cmake")
CUDA = os.environ.get("WARPLINE_CUDA", "")
CXX = os.environ.get("WARPLINE_CXX", "c++")


@unittest.skipUnless(BUILD, "WARPLINE_BUILD names no build folder: run it through tests/run")
@unittest.skipIf(os.environ.get("WARPLINE_SANITIZE") == "1", "the outside project is not sanitized")
class Package(unittest.TestCase):
    def run_command(self, *command):
        result = subprocess.run(command, text=True, errors="replace", check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(0, result.returncode, f"{' '.join(command)}\n{result.stdout}")
        return result.stdout

    def test_outside_project(self):
        with tempfile.TemporaryDirectory() as scratch:
            prefix, build = os.path.join(scratch, "prefix"), os.path.join(scratch, "build")
            self.run_command(CMAKE, "--install", BUILD, "--prefix", prefix)
            self.run_command(CMAKE, "-S", os.path.join(HERE, "../package"), "-B", build,
                             f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={CXX}",
                             f"-DCUDAToolkit_ROOT={CUDA}")
            self.run_command(CMAKE, "--build", build)
            self.assertEqual("built outside\n", self.run_command(os.path.join(build, "outside")))
            self.assertEqual("width 4, depth 3\n", self.run_command(os.path.join(build, "tuned")))
            self.assertEqual("contained\n",
                             self.run_command(os.path.join(build, "by_shared_object")))


if __name__ == "__main__":
    unittest.main()

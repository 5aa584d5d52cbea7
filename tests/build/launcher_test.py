"""framework/cmake/nvcc_launcher: with a false compiler, and with nvcc on kernels that must fail."""

import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
LAUNCHER = os.path.join(HERE, "../../framework/cmake/nvcc_launcher")
NVCC = os.environ.get("WARPLINE_NVCC", "")

# Writes a file as a compiler does, says what it is told, and exits with a status.
COMPILER = """
import sys
status, text, _, source, _, target = sys.argv[1:]
open(target, "w").close()
print(text, file=sys.stderr)
sys.exit(int(status))
"""
RESOURCES = """ptxas info    : Function properties for kernel
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, used 1 barriers"""
SPILLS = RESOURCES.replace("0 bytes spill loads", "8 bytes spill loads")
SERIALIZED = "ptxas info    : (C7510) Potential Performance Loss: wgmma is serialized in 'kernel'"


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.target = os.path.join(scratch.name, "unit.o")

    def launch(self, *command, options=(), env=None):
        result = subprocess.run([LAUNCHER, *options, "--", *command], text=True, check=False,
                                env={**os.environ, **(env or {})},
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return result.returncode, result.stdout


class WithFalseCompiler(Scratch):
    def compile(self, text, status=0, **more):
        compiler = os.path.join(os.path.dirname(self.target), "compiler.py")
        with open(compiler, "w", encoding="utf-8") as file:
            file.write(COMPILER)
        return self.launch(sys.executable, compiler, str(status), text, "-c", "unit.cu", "-o",
                           self.target, **more)

    def test_keeps_resource_lines_in_a_file_beside_the_object(self):
        self.assertEqual((0, ""), self.compile(RESOURCES))
        with open(self.target + ".ptxas", encoding="utf-8") as file:
            self.assertEqual(RESOURCES + "\n", file.read())

    def test_prints_resource_lines_when_asked(self):
        _, output = self.compile(RESOURCES, env={"WARPLINE_PTXAS_VERBOSE": "1"})
        self.assertEqual(RESOURCES + "\n", output)

    def test_passes_other_output_and_the_status_on(self):
        self.assertEqual((3, "unit.cu(1): error: no\n"), self.compile("unit.cu(1): error: no", 3))
        self.assertFalse(os.path.exists(self.target))

    def test_fails_with_one_line_that_names_file_and_diagnostic(self):
        status, output = self.compile(SERIALIZED)
        self.assertEqual(1, status)
        self.assertEqual("unit.cu: error: ptxas: (C7510) Potential Performance Loss: "
                         "wgmma is serialized in 'kernel'\n", output)
        self.assertFalse(os.path.exists(self.target), "a failed object must not count as built")

    def test_fails_on_spills_and_names_the_function(self):
        status, output = self.compile(SPILLS)
        self.assertEqual(1, status)
        self.assertIn("unit.cu: error: ptxas: local memory in 'kernel'", output)

    def test_allows_what_it_is_told_to(self):
        self.assertEqual(0, self.compile(SPILLS, options=["--allow-local-memory"])[0])
        self.assertEqual(0, self.compile(SERIALIZED, options=["--allow-serialized"])[0])
        self.assertEqual(1, self.compile(SERIALIZED, options=["--allow-local-memory"])[0])


@unittest.skipUnless(NVCC, "no nvcc")
class WithNvcc(Scratch):
    def compile(self, name, **more):
        source = os.path.join(HERE, "launcher", name + ".cu")
        return self.launch(NVCC, "-std=c++20", "-gencode=arch=compute_90a,code=sm_90a", "-Xptxas",
                           "-v", "-c", source, "-o", self.target, **more)

    def test_a_clean_kernel_passes(self):
        self.assertEqual((0, ""), self.compile("clean"))

    def test_serialized_wgmma_fails(self):
        status, output = self.compile("serialized")
        self.assertEqual(1, status)
        self.assertRegex(output, r"serialized\.cu: error: ptxas: \(C7510\) .*serialized")

    def test_a_dropped_setmaxnreg_fails(self):
        status, output = self.compile("setmaxnreg_dropped")
        self.assertEqual(1, status)
        self.assertRegex(output, r"setmaxnreg_dropped\.cu: error: ptxas: \(C7508\) .*ignored")

    def test_local_memory_fails(self):
        status, output = self.compile("local_memory")
        self.assertEqual(1, status)
        self.assertRegex(output, r"local memory in '\w*local_memory\w*': 128 bytes stack frame")
        self.assertEqual(0, self.compile("local_memory", options=["--allow-local-memory"])[0])


if __name__ == "__main__":
    unittest.main()

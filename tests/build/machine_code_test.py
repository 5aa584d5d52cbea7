"""What the compiler made of the kernels, without a disassembler: the instructions that the design
promises are there, and what is off costs nothing.

An instruction is 16 bytes; the low 12 bits are its opcode. The table below was read off
`cuobjdump -sass` (CUDA 13.0, sm_90a)."""

import functools
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from nvcc import INCLUDES, NVCC, NVCC_FLAGS, ROOT  # noqa: E402

WGMMA = 0x9F0
TENSOR_LOAD = 0x5B4
TENSOR_LOAD_MULTICAST = 0x3B4
TENSOR_STORE = 0x3B5
SETMAXNREG = 0x9C8
STMATRIX = 0x844

INSTANCE = """
template __global__ void warpline::isa::kernel_entry<K>(
    const __grid_constant__ typename K::Arguments);
"""
WARP_SPECIALIZED = """
#include "matmul/warp_specialized.h"
using K = warpline::WarpSpecializedMatmul<warpline::WarpSpecializedConfig{.stages = 2}>;
""" + INSTANCE
COOPERATIVE = """
#include "matmul/cooperative.h"
using K = warpline::CooperativeMatmul<warpline::CooperativeConfig{}>;
""" + INSTANCE
# The same kernel twice: with the framework's wait, and with the bare instruction in a loop.
WAITING = """
#include "warpline/isa/wait.h"
__global__ void kernel(int* out) {
  __shared__ warpline::isa::Mbarrier barrier;
  if (threadIdx.x == 0) {
    warpline::isa::mbarrier_init(barrier, 1);
    warpline::isa::mbarrier_arrive(barrier);
  }
  __syncthreads();
  WAIT
  out[threadIdx.x] = 1;
}
"""
BARE_KERNEL = "tests/docs/pipeline_alone.h"
FRAMEWORK_WAIT = 'warpline::isa::wait(barrier, 0, {"consumer", "full", 3});'
BARE_WAIT = "while (!warpline::isa::mbarrier_try_wait(barrier, 0)) {}"


# Every statement that has to do with timelines, and what brings in their declarations.
TRACING = re.compile(r'^ *(?:const )?(?:isa::)?(?:trace_\w+|TraceTime)\b'
                     r'[^;{]*(?:\{[^;{}]*\}[^;{}]*)*;\n'
                     r'|^#include "warpline/isa/trace\.h"\n', re.MULTILINE)
WORDS = re.compile(r"\btrace_(?:now|span|moment|moment_of_one|role)\b|\bTraceTime\b")


def without_tracing(folder):
    """A copy of the headers that have never heard of timelines; returns how much was left out."""
    removed = 0
    for tree in ("framework", "kernels"):
        shutil.copytree(os.path.join(ROOT, tree), os.path.join(folder, tree))
    for path, _, names in os.walk(os.path.join(folder, "framework", "warpline")):
        for name in names:
            if name.startswith("trace"):
                continue
            with open(os.path.join(path, name), encoding="utf-8") as file:
                text = file.read()
            stripped, count = TRACING.subn("", text)
            if left := WORDS.search(stripped):
                raise AssertionError(f"{name}: {left.group()} was not left out")
            removed += count
            with open(os.path.join(path, name), "w", encoding="utf-8") as file:
                file.write(stripped)
    return removed


@functools.lru_cache(maxsize=None)  # several tests look at the same kernels
def machine_code(source, *options, includes=tuple(INCLUDES)):
    """The bytes of the .text sections, by name."""
    with tempfile.TemporaryDirectory() as folder:
        unit = os.path.join(folder, "unit.cu")
        with open(unit, "w", encoding="utf-8") as file:
            file.write(source)
        cubin = unit + ".cubin"
        subprocess.run([NVCC, *NVCC_FLAGS, *includes, "-O3", *options, "-cubin", unit, "-o", cubin],
                       check=True)
        with open(cubin, "rb") as file:
            elf = file.read()
    # ELF64: e_shoff at 40, e_shentsize, e_shnum, e_shstrndx at 58; sh_name, sh_offset, sh_size.
    table, = struct.unpack_from("<Q", elf, 40)
    entry, count, names = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + i * entry) for i in range(count)]
    found = {}
    for name, _, _, _, offset, size in headers:
        start = headers[names][4] + name
        text = elf[start:elf.index(b"\0", start)].decode()
        if text.startswith(".text."):
            found[text] = elf[offset:offset + size]
    return found


def opcodes(code):
    return [struct.unpack_from("<Q", code, at)[0] & 0xFFF for at in range(0, len(code), 16)]


@unittest.skipUnless(NVCC, "this build has no nvcc")
class MachineCode(unittest.TestCase):
    def counts(self, source, *options):
        code, = machine_code(source, *options).values()
        found = opcodes(code)
        return {opcode: found.count(opcode) for opcode in set(found)}

    def test_the_warp_specialized_matmul(self):
        counts = self.counts(WARP_SPECIALIZED)
        # One loop for all stages, and nothing of it twice.
        self.assertEqual(counts.get(WGMMA, 0), 8)
        self.assertEqual(counts.get(TENSOR_LOAD, 0), 2)
        self.assertEqual(counts.get(SETMAXNREG, 0), 0)

    def test_the_cooperative_matmul(self):
        counts = self.counts(COOPERATIVE)
        self.assertEqual(counts.get(SETMAXNREG, 0), 2)
        self.assertEqual(counts.get(TENSOR_LOAD, 0), 1)
        self.assertEqual(counts.get(TENSOR_LOAD_MULTICAST, 0), 1)
        self.assertEqual(counts.get(TENSOR_STORE, 0), 4)
        self.assertEqual(counts.get(STMATRIX, 0), 16)
        self.assertEqual(counts.get(WGMMA, 0), 4)  # one loop, for all stages

    def test_checks_that_are_off_cost_nothing(self):
        framework = machine_code(WAITING.replace("WAIT", FRAMEWORK_WAIT))
        self.assertEqual(framework, machine_code(WAITING.replace("WAIT", BARE_WAIT)))
        self.assertNotEqual(framework, machine_code(WAITING.replace("WAIT", FRAMEWORK_WAIT),
                                                    "-DWARPLINE_CHECKED=1"))

    def test_a_kernel_without_launch_is_assembled_with_and_without_timelines(self):
        with open(os.path.join(ROOT, BARE_KERNEL), encoding="utf-8") as file:
            source = file.read()
        without, lines = re.subn(r"^ *warpline::untraced_kernel\(\);\n", "", source,
                                 flags=re.MULTILINE)
        self.assertEqual(lines, 1)
        self.assertEqual(machine_code(source), machine_code(without))
        self.assertEqual(len(machine_code(source, "-DWARPLINE_TRACE=1")), 1)

    def test_timelines_that_are_off_leave_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertGreater(without_tracing(folder), 25)
            includes = (f"-I{folder}/framework", f"-I{folder}/kernels")
            for source in (WARP_SPECIALIZED, COOPERATIVE):
                code = machine_code(source)
                self.assertEqual(code, machine_code(source, includes=includes))
                on = machine_code(source.replace("Arguments);",
                                                 "Arguments, warpline::isa::TraceBuffer*);"),
                                  "-DWARPLINE_TRACE=1")
                self.assertNotEqual(list(code.values()), list(on.values()))

    def test_kernels_that_record_multiply_as_those_that_do_not(self):
        def on(source):
            return self.counts(source.replace("Arguments);",
                                              "Arguments, warpline::isa::TraceBuffer*);"),
                               "-DWARPLINE_TRACE=1")
        for source in (WARP_SPECIALIZED, COOPERATIVE):
            off = self.counts(source)
            for instruction in (WGMMA, TENSOR_LOAD, TENSOR_STORE, SETMAXNREG):
                self.assertEqual(on(source).get(instruction, 0), off.get(instruction, 0))


if __name__ == "__main__":
    unittest.main()

"""How the tests of the build call nvcc and the C++ compiler."""

import os

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
NVCC = os.environ.get("WARPLINE_NVCC", "")
CXX = os.environ.get("WARPLINE_CXX", "g++")
CUDA = os.environ.get("WARPLINE_CUDA", "/usr/local/cuda/include")
NVCC_FLAGS = ["-std=c++20", "-gencode=arch=compute_90a,code=sm_90a"]
INCLUDES = [f"-I{ROOT}/framework", f"-I{ROOT}/kernels"]
# WARPLINE_CUDA may be the toolkit or its include folder, and g++ has to be told where CCCL is.
CUDA_INCLUDES = [f"-I{CUDA}/include", f"-I{CUDA}/include/cccl", f"-I{CUDA}", f"-I{CUDA}/cccl"]

# Finds CUDA: nvcc for the GPU target, the headers alone (cuda_fp16.h, libcu++) for the simulator.
# What is not installed comes as exactly pinned Python wheels into the build folder; see fetch_cuda.

set(WARPLINE_CUDA_MINIMUM 13.0)
# Fetched once for all presets of a checkout.
set(WARPLINE_CUDA_FETCHED "${CMAKE_BINARY_DIR}/cuda")
if(PROJECT_NAME STREQUAL "warpline" AND PROJECT_IS_TOP_LEVEL)
  set(WARPLINE_CUDA_FETCHED "${PROJECT_SOURCE_DIR}/build/cuda")
endif()

# Where to look, first to last. WARPLINE_IGNORE_INSTALLED_CUDA leaves only what the user names and
# what was fetched.
function(_warpline_cuda_roots out)
  set(roots "")
  if(NOT "$ENV{WARPLINE_IGNORE_INSTALLED_CUDA}")
    find_program(nvcc_in_path nvcc NO_CACHE)
    if(nvcc_in_path)
      file(REAL_PATH "${nvcc_in_path}" nvcc_in_path)
      cmake_path(GET nvcc_in_path PARENT_PATH bin)
      cmake_path(GET bin PARENT_PATH root)
      list(APPEND roots "${root}")
    endif()
    list(PREPEND roots $ENV{CUDA_HOME})
    list(APPEND roots /usr/local/cuda)
  endif()
  list(APPEND roots "${WARPLINE_CUDA_FETCHED}")
  set(${out} ${CUDAToolkit_ROOT} ${roots} PARENT_SCOPE)
endfunction()

function(_warpline_fetch_cuda what)
  message(NOTICE "No CUDA ${what} (${WARPLINE_CUDA_MINIMUM} or newer) installed: "
                 "fetching Python wheels into ${WARPLINE_CUDA_FETCHED}")
  execute_process(COMMAND "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/fetch_cuda" ${what}
                          "${WARPLINE_CUDA_FETCHED}" RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "Could not fetch CUDA's ${what}: install CUDA ${WARPLINE_CUDA_MINIMUM}, "
                        "or python3 with pip")
  endif()
endfunction()

# Sets CMAKE_CUDA_COMPILER, unless the user did.
function(warpline_find_nvcc)
  if(CMAKE_CUDA_COMPILER OR DEFINED ENV{CUDACXX})
    return()
  endif()
  _warpline_cuda_roots(roots)
  foreach(root IN LISTS roots)
    set(nvcc "${root}/bin/nvcc")
    if(EXISTS "${nvcc}")
      execute_process(COMMAND "${nvcc}" --version OUTPUT_VARIABLE text ERROR_QUIET)
      string(REGEX MATCH "release ([0-9.]+)" matched "${text}")
      if(CMAKE_MATCH_1 VERSION_GREATER_EQUAL WARPLINE_CUDA_MINIMUM)
        set(CMAKE_CUDA_COMPILER "${nvcc}" CACHE FILEPATH "nvcc")
        return()
      endif()
      message(NOTICE "${nvcc} is not CUDA ${WARPLINE_CUDA_MINIMUM} or newer: not used")
    endif()
  endforeach()
  _warpline_fetch_cuda(compiler)
  set(CMAKE_CUDA_COMPILER "${WARPLINE_CUDA_FETCHED}/bin/nvcc" CACHE FILEPATH "nvcc")
endfunction()

# Makes the target warpline::cuda_headers: what nvcc has of itself and the C++ compiler has not.
function(warpline_find_cuda_headers)
  if(TARGET warpline::cuda_headers)
    return()
  endif()
  _warpline_cuda_root(root)
  if(NOT root)
    _warpline_fetch_cuda(headers)
    set(root "${WARPLINE_CUDA_FETCHED}")
  endif()
  add_library(warpline::cuda_headers INTERFACE IMPORTED GLOBAL)
  # libcu++ is in include/cccl, which CMake's own package CUDAToolkit leaves out.
  target_include_directories(warpline::cuda_headers SYSTEM INTERFACE "${root}/include"
                                                                     "${root}/include/cccl")
endfunction()

# Makes the target warpline::cudart, the CUDA runtime to link into a program, if there is one. (Not
# CMake's package CUDAToolkit: that of 3.25 fails on a toolkit which has only what we need.)
function(warpline_find_cudart)
  if(TARGET warpline::cudart)
    return()
  endif()
  _warpline_cuda_root(root)
  find_library(WARPLINE_CUDART cudart_static PATHS "${root}" PATH_SUFFIXES lib64 lib
               NO_DEFAULT_PATH)
  mark_as_advanced(WARPLINE_CUDART)
  if(WARPLINE_CUDART)
    find_package(Threads REQUIRED)
    add_library(warpline::cudart STATIC IMPORTED GLOBAL)
    set_target_properties(warpline::cudart PROPERTIES IMPORTED_LOCATION "${WARPLINE_CUDART}")
    target_link_libraries(warpline::cudart INTERFACE warpline::cuda_headers Threads::Threads dl rt)
  endif()
endfunction()

# The toolkit of the compiler, or else the first that has new enough headers, or nothing.
function(_warpline_cuda_root out)
  if(CMAKE_CUDA_COMPILER)
    file(REAL_PATH "${CMAKE_CUDA_COMPILER}" nvcc)
    cmake_path(GET nvcc PARENT_PATH bin)
    cmake_path(GET bin PARENT_PATH roots)
  else()
    _warpline_cuda_roots(roots)
  endif()
  foreach(root IN LISTS roots)
    if(EXISTS "${root}/include/cuda.h" AND EXISTS "${root}/include/cccl/cuda/ptx")
      file(STRINGS "${root}/include/cuda.h" line REGEX "^#define CUDA_VERSION [0-9]+")
      string(REGEX REPLACE ".* ([0-9]+)0([0-9])0$" "\\1.\\2" version "${line}") # 13010 is 13.1
      if(version VERSION_GREATER_EQUAL WARPLINE_CUDA_MINIMUM)
        set(${out} "${root}" PARENT_SCOPE)
        return()
      endif()
    endif()
  endforeach()
  set(${out} "" PARENT_SCOPE)
endfunction()

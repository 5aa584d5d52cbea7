# What can be chosen when Warpline is configured. CMakePresets.json has the usual combinations.

# Both targets wherever there is a compiler for them: asking for the GPU fetches nvcc if need be.
find_program(WARPLINE_NVCC_IN_PATH nvcc HINTS ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
mark_as_advanced(WARPLINE_NVCC_IN_PATH)
if(WARPLINE_NVCC_IN_PATH OR CMAKE_CUDA_COMPILER OR DEFINED ENV{CUDACXX})
  set(gpu_default ON)
else()
  set(gpu_default OFF)
endif()

option(WARPLINE_GPU "Compile kernels for the GPU (sm_90a) with nvcc" ${gpu_default})
option(WARPLINE_SIMULATOR "Compile kernels for the simulator with the C++ compiler" ON)
option(WARPLINE_CHECKED "Bound every wait in GPU kernels and report the one that expires" OFF)
option(WARPLINE_TRACE "GPU kernels record their timeline where a TraceSession asks for it" OFF)
option(WARPLINE_SANITIZE "AddressSanitizer and UBSan on what the C++ compiler builds" OFF)
option(BUILD_SHARED_LIBS "Build shared libraries instead of static ones" OFF)
option(WARPLINE_TUNER "Build the tuner: needs nlohmann-json, and Boost.Hana's headers"
       ${PROJECT_IS_TOP_LEVEL})
option(WARPLINE_SAMPLES "Build the samples" ${PROJECT_IS_TOP_LEVEL})
option(WARPLINE_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})

if(WARPLINE_SAMPLES AND NOT WARPLINE_TUNER)
  message(FATAL_ERROR "The samples use the tuner: configure with WARPLINE_TUNER=ON")
endif()
if(WARPLINE_SANITIZE AND WARPLINE_GPU)
  message(FATAL_ERROR "WARPLINE_SANITIZE is for the simulator: configure with WARPLINE_GPU=OFF")
endif()

# C++20 comes with warpline::framework: CMAKE_CXX_STANDARD would hold for nvcc too, and CMake 3.25.1
# does not know that nvcc has C++20. See warpline_gpu_options.
set(CMAKE_CXX_EXTENSIONS OFF)

# Static libraries that a user's shared object may contain. The libraries' functions replace nobody
# else's: without the option no call of one by another in its file could be inlined.
if(NOT DEFINED CMAKE_POSITION_INDEPENDENT_CODE)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
  # Of nvcc, -O is the host's half alone: kernels come out the same, and a unit, whose host half
  # starts them, takes 1 to 1.3 s less than at -O1. A GPU test prints what a call costs the host.
  set(CMAKE_CUDA_FLAGS_RELEASE "-O0 -DNDEBUG" CACHE STRING "nvcc's flags in Release builds")
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
  endif()
endif()

if(WARPLINE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
                      -Wno-maybe-uninitialized) # g++ warns falsely about instrumented code
  add_link_options(-fsanitize=address,undefined)
endif()

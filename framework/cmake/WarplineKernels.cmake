# Kernel libraries: one source, compiled by nvcc for the GPU and by the C++ compiler for the
# simulator.

set(WARPLINE_NVCC_LAUNCHER "${CMAKE_CURRENT_LIST_DIR}/nvcc_launcher")
# What was made, for whoever comes after: installation, tests, samples.
set_property(GLOBAL PROPERTY WARPLINE_KERNEL_LIBRARIES "")

# warpline_gpu_options(target [TEST | FAULTY])
#
# Options for a target with CUDA sources. A kernel whose wgmma ptxas serialised, whose setmaxnreg it
# dropped, or which uses local memory fails to build. A TEST may use local memory; kernels that are
# FAULTY on purpose may do both, and so may a build with WARPLINE_CHECKED, for its reports.
function(warpline_gpu_options target)
  # -std by hand: CMake 3.25.1 does not know that nvcc has C++20.
  set(options -std=c++20 "SHELL:-Xptxas -v")
  if(WARPLINE_TRACE)
    target_compile_definitions(${target} PUBLIC WARPLINE_TRACE=1)
  endif()
  set(launcher "${WARPLINE_NVCC_LAUNCHER}")
  if(WARPLINE_CHECKED)
    target_compile_definitions(${target} PUBLIC WARPLINE_CHECKED=1)
  endif()
  if(WARPLINE_CHECKED OR "FAULTY" IN_LIST ARGN)
    list(APPEND launcher --allow-serialized --allow-local-memory)
  elseif(WARPLINE_TRACE)
    # Records cost registers: a kernel at its limit may spill. Serialised wgmma would be another
    # kernel, and stays an error.
    list(APPEND launcher --allow-local-memory)
  elseif("TEST" IN_LIST ARGN)
    list(APPEND launcher --allow-local-memory)
  else()
    list(APPEND options "SHELL:-Xptxas --warn-on-spills,--warn-on-local-memory-usage"
                        "SHELL:-Xptxas --warning-as-error")
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${options}>")
  list(APPEND launcher --)
  # sm_90a machine code and no PTX: wgmma and setmaxnreg exist on no other architecture.
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES 90a-real
                                             CUDA_COMPILER_LAUNCHER "${launcher}")
endfunction()

# warpline_kernel_family(OUT TEMPLATE AXIS value... [AXIS value...]...)
#
# Writes one kernel unit for each combination of the axes' values, from a template (`name.cpp.in`)
# that mentions each axis as @AXIS@, and sets OUT to their list. Many small units build in parallel,
# and a change rebuilds few of them.
function(warpline_kernel_family out template)
  set(axes "")
  foreach(token IN LISTS ARGN)
    if(token MATCHES "^[A-Z][A-Z_]*$")
      set(axis ${token})
      list(APPEND axes ${axis})
      set(values_${axis} "")
    else()
      list(APPEND values_${axis} ${token})
    endif()
  endforeach()

  set(points "_") # each is "_,64,16": a value for each axis
  foreach(axis IN LISTS axes)
    set(longer "")
    foreach(point IN LISTS points)
      foreach(value IN LISTS values_${axis})
        list(APPEND longer "${point},${value}")
      endforeach()
    endforeach()
    set(points ${longer})
  endforeach()

  cmake_path(GET template STEM LAST_ONLY source) # without .in
  cmake_path(GET source STEM name)
  set(units "")
  foreach(point IN LISTS points)
    string(REPLACE "," ";" values "${point}")
    list(POP_FRONT values)
    list(JOIN values "_" suffix)
    foreach(axis IN LISTS axes)
      list(POP_FRONT values ${axis})
    endforeach()
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/units/${name}_${suffix}.cpp")
    configure_file("${template}" "${unit}" @ONLY)
    list(APPEND units "${unit}")
  endforeach()
  set(${out} ${units} PARENT_SCOPE)
endfunction()

# warpline_add_kernels(NAME UNITS unit.cpp... [PAIRED_UNITS unit.cpp...] [GPU_UNITS unit.cpp...]
#                      [HOST source.cpp...] [OF_A_PROGRAM])
#
# Builds each unit with nvcc into NAME_gpu (where WARPLINE_GPU is on) and with the C++ compiler into
# NAME_simulator; GPU_UNITS only with nvcc. nvcc gets two PAIRED_UNITS at a time: no two may define
# the same name. HOST sources are of neither target: they are compiled once, into NAME_host, which
# both link. Whoever links NAME_gpu is compiled with WARPLINE_HAS_GPU=1. The libraries OF_A_PROGRAM
# are neither installed nor linked by every sample and test.
function(warpline_add_kernels name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OF_A_PROGRAM" "" "UNITS;PAIRED_UNITS;GPU_UNITS;HOST")
  get_property(libraries GLOBAL PROPERTY WARPLINE_KERNEL_LIBRARIES)
  set(common warpline::framework)
  if(arg_HOST)
    add_library(${name}_host ${arg_HOST})
    target_link_libraries(${name}_host PUBLIC warpline::framework warpline::cuda_headers)
    list(APPEND common ${name}_host)
    set_property(GLOBAL APPEND PROPERTY WARPLINE_KERNEL_LIBRARIES ${name}_host)
  endif()
  if((arg_UNITS OR arg_PAIRED_UNITS) AND WARPLINE_SIMULATOR)
    add_library(${name}_simulator ${arg_UNITS} ${arg_PAIRED_UNITS})
    target_link_libraries(${name}_simulator PUBLIC ${common} warpline::simulator)
    set_property(GLOBAL APPEND PROPERTY WARPLINE_KERNEL_LIBRARIES ${name}_simulator)
    _warpline_quick_simulator_units(${name}_simulator)
  endif()
  if((arg_UNITS OR arg_PAIRED_UNITS OR arg_GPU_UNITS) AND WARPLINE_GPU)
    _warpline_gpu_units(${name} 1 units ${arg_UNITS} ${arg_GPU_UNITS})
    _warpline_gpu_units(${name} 2 pairs ${arg_PAIRED_UNITS})
    add_library(${name}_gpu ${units} ${pairs})
    # What kernels have recorded is decoded there.
    target_link_libraries(${name}_gpu PUBLIC ${common} warpline::cudart warpline::timeline)
    target_compile_definitions(${name}_gpu INTERFACE WARPLINE_HAS_GPU=1)
    warpline_gpu_options(${name}_gpu)
    set_property(GLOBAL APPEND PROPERTY WARPLINE_KERNEL_LIBRARIES ${name}_gpu)
  endif()
  if(arg_OF_A_PROGRAM)
    set_property(GLOBAL PROPERTY WARPLINE_KERNEL_LIBRARIES "${libraries}")
  endif()
endfunction()

# warpline_keep(TARGET SYMBOL)
#
# Whoever links the library gets it whole enough to have SYMBOL, though nothing but weak references
# asks for it: of a static library the linker would take nothing, a shared one it may leave out.
function(warpline_keep target symbol)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    target_link_options(${target} INTERFACE "LINKER:--no-as-needed")
  else()
    target_link_options(${target} INTERFACE "LINKER:-u,${symbol}")
  endif()
endfunction()

# Many units, which compile in half of the time: kernels spend theirs in warpline::simulator, which
# is optimised, and begin with the same headers, read once for all libraries.
function(_warpline_quick_simulator_units target)
  if(NOT PROJECT_NAME STREQUAL "warpline")
    return() # a user's kernels are compiled as the user likes
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  # Of shared libraries: a macro of each one's own would make its precompiled headers its own, too.
  set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "")
  get_property(first GLOBAL PROPERTY WARPLINE_PRECOMPILED_FOR_SIMULATOR)
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE <cuda_bf16.h> <cuda_fp16.h> <algorithm> <cmath>
                              <cstdint> <functional> <memory> <string> <vector>)
    set_property(GLOBAL PROPERTY WARPLINE_PRECOMPILED_FOR_SIMULATOR ${target})
  endif()
endfunction()

# CMake compiles a file in one language, so each unit gets a .cu that includes it, or `per_file` of
# them do: of what nvcc takes for one, headers are half.
function(_warpline_gpu_units name per_file out)
  set(forwarders "")
  list(LENGTH ARGN count)
  set(next 0)
  while(next LESS count)
    list(SUBLIST ARGN ${next} ${per_file} units)
    math(EXPR next "${next} + ${per_file}")
    list(GET units 0 first)
    cmake_path(GET first STEM stem)
    set(content "")
    foreach(unit IN LISTS units)
      cmake_path(ABSOLUTE_PATH unit NORMALIZE)
      string(APPEND content "#include \"${unit}\"\n")
    endforeach()
    set(forwarder "${CMAKE_CURRENT_BINARY_DIR}/${name}_gpu/${stem}.cu")
    file(CONFIGURE OUTPUT "${forwarder}" CONTENT "${content}" @ONLY)
    list(APPEND forwarders "${forwarder}")
  endwhile()
  set(${out} ${forwarders} PARENT_SCOPE)
endfunction()

# `cmake --install` and find_package(warpline).
include(CMakePackageConfigHelpers)

get_property(kernels GLOBAL PROPERTY WARPLINE_KERNEL_LIBRARIES)
set(targets warpline_framework ${kernels})
foreach(target IN ITEMS warpline_files warpline_simulator warpline_timeline warpline_tuner)
  if(TARGET ${target})
    list(APPEND targets ${target})
  endif()
endforeach()
# The GPU's libraries apart, since only they need a CUDA toolkit on the user's machine.
set(gpu_targets ${targets})
list(FILTER gpu_targets INCLUDE REGEX "_gpu$")
list(FILTER targets EXCLUDE REGEX "_gpu$")
if(BUILD_SHARED_LIBS)
  # They lie side by side, and need each other.
  set_target_properties(${targets} ${gpu_targets} PROPERTIES INSTALL_RPATH "$ORIGIN")
endif()
install(TARGETS ${targets} EXPORT warpline)
install(TARGETS ${gpu_targets} EXPORT warpline-gpu)

# One folder below include/, so that <simulator/...> and <matmul/...> meet nobody else's.
set(include "${CMAKE_INSTALL_INCLUDEDIR}/warpline")
install(DIRECTORY framework/warpline framework/files framework/simulator framework/timeline
                  framework/tuner kernels/
        DESTINATION "${include}" FILES_MATCHING PATTERN "*.h")

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/warpline")
install(EXPORT warpline NAMESPACE warpline:: FILE warpline-targets.cmake DESTINATION "${package}")
if(gpu_targets)
  install(EXPORT warpline-gpu NAMESPACE warpline:: FILE warpline-gpu-targets.cmake
          DESTINATION "${package}")
endif()
configure_package_config_file(framework/cmake/warpline-config.cmake.in warpline-config.cmake
                              INSTALL_DESTINATION "${package}")
write_basic_package_version_file(warpline-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/warpline-config.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/warpline-config-version.cmake"
              framework/cmake/WarplineCuda.cmake framework/cmake/WarplineKernels.cmake
              framework/cmake/WarplineSpace.cmake
        DESTINATION "${package}")
install(PROGRAMS framework/cmake/fetch_cuda framework/cmake/nvcc_launcher DESTINATION "${package}")

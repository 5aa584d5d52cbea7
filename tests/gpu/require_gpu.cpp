// Where there is no GPU, the GPU tests say so and count as skipped, all at once.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <iostream>

#define CATCH_CONFIG_EXTERNAL_INTERFACES  // version 2.13: listeners outside of main.cpp
#include "tests/support/catch.h"
#if __has_include(<catch2/reporters/catch_reporter_event_listener.hpp>)
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#endif

namespace {

#if __has_include(<catch2/reporters/catch_reporter_event_listener.hpp>)
using Listener = Catch::EventListenerBase;
#else
using Listener = Catch::TestEventListenerBase;
#endif

struct GpuListener : Listener {
  using Listener::Listener;
  void testRunStarting(const Catch::TestRunInfo&) override {
    int devices = 0;
    const cudaError_t status = cudaGetDeviceCount(&devices);
    if (status == cudaSuccess && devices > 0) {
      return;
    }
    std::cout << "SKIPPED: no GPU here ("
              << (status == cudaSuccess ? "no device" : cudaGetErrorString(status)) << ")"
              << std::endl;
    constexpr int skip_status = 4;  // see support/main.cpp
    std::_Exit(std::getenv("WARPLINE_UNDER_CTEST") != nullptr ? skip_status : EXIT_SUCCESS);
  }
};
CATCH_REGISTER_LISTENER(GpuListener)

}  // namespace

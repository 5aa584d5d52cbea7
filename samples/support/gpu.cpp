#include "samples/support/gpu.h"

#if WARPLINE_HAS_GPU

#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include <fstream>

#include "warpline/error.h"

namespace sample {

namespace {

void check(cudaError_t status, const std::string& doing) {
  if (status != cudaSuccess) {
    cudaGetLastError();  // reported here; the next call must not trip over it
    throw warpline::Error(
        fmt::format("{}: {} ({})", doing, cudaGetErrorString(status), cudaGetErrorName(status)));
  }
}

std::string version(int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

/// From the driver's own file: NVML need not be there. ("NVRM version: NVIDIA UNIX Open Kernel
/// Module for x86_64  580.65.06  Release Build ...")
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;) {
    if (word.find('.') != std::string::npos &&
        word.find_first_not_of("0123456789.") == std::string::npos) {
      return word;
    }
  }
  int number = 0;
  cudaDriverGetVersion(&number);
  return "for CUDA " + version(number);
}

}  // namespace

std::string why_no_gpu() {
  int devices = 0;
  const cudaError_t counted = cudaGetDeviceCount(&devices);
  cudaGetLastError();
  if (counted == cudaErrorInsufficientDriver) {
    int driver = 0;
    cudaDriverGetVersion(&driver);
    return driver == 0 ? std::string("there is no NVIDIA driver")
                       : fmt::format("the driver is for CUDA {}, this program for CUDA {}",
                                     version(driver), version(CUDART_VERSION));
  }
  if (counted != cudaSuccess && counted != cudaErrorNoDevice) {
    return fmt::format("the CUDA runtime says: {}", cudaGetErrorString(counted));
  }
  if (devices == 0) {
    return "there is no GPU";
  }
  std::string found;
  for (int device = 0; device < devices; ++device) {
    int major = 0;
    int minor = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    if (major == 9 && minor == 0) {
      const cudaError_t taken = cudaSetDevice(device);
      cudaGetLastError();
      return taken == cudaSuccess
                 ? std::string()
                 : fmt::format("GPU {} cannot be used: {}", device, cudaGetErrorString(taken));
    }
    found += fmt::format("{}sm_{}{}", device == 0 ? "" : ", ", major, minor);
  }
  return fmt::format("the kernels need sm_90a (Hopper), the GPU is {}", found);
}

GpuFacts gpu_facts() {
  int device = 0;
  check(cudaGetDevice(&device), "cannot find the current GPU");
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device), "cannot query the GPU");
  char bus_id[32] = {};
  check(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, device), "cannot query the GPU's bus");
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cannot query the GPU's memory");
  return {properties.name, bus_id, driver_version(), properties.multiProcessorCount, free};
}

DeviceMemory::DeviceMemory(std::size_t bytes, const std::string& purpose) {
  void* data = nullptr;
  check(cudaMalloc(&data, bytes), fmt::format("cannot have {:.0f} MB of GPU memory for {}",
                                              static_cast<double>(bytes) * 1e-6, purpose));
  data_ = static_cast<unsigned char*>(data);
}

DeviceMemory::~DeviceMemory() { cudaFree(data_); }

void DeviceMemory::upload(std::size_t offset, const void* from, std::size_t bytes) const {
  check(cudaMemcpy(at(offset), from, bytes, cudaMemcpyHostToDevice), "cannot copy to the GPU");
}

void DeviceMemory::download(void* to, std::size_t offset, std::size_t bytes) const {
  check(cudaMemcpy(to, at(offset), bytes, cudaMemcpyDeviceToHost), "cannot copy from the GPU");
}

void DeviceMemory::duplicate(std::size_t to, std::size_t from, std::size_t bytes) const {
  check(cudaMemcpy(at(to), at(from), bytes, cudaMemcpyDeviceToDevice), "cannot copy on the GPU");
}

void DeviceMemory::copy(std::size_t to, const DeviceMemory& from, std::size_t bytes) const {
  check(cudaMemcpy(at(to), from.at(0), bytes, cudaMemcpyDeviceToDevice), "cannot copy on the GPU");
}

GpuStream::GpuStream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream), "cannot create a stream");
  stream_ = stream;
}

GpuStream::~GpuStream() { cudaStreamDestroy(static_cast<cudaStream_t>(stream_)); }

void GpuStream::synchronize() const {
  check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream_)), "the GPU failed");
}

void GpuStream::fill(void* memory, std::size_t bytes, int byte) const {
  check(cudaMemsetAsync(memory, byte, bytes, static_cast<cudaStream_t>(stream_)),
        "cannot fill GPU memory");
}

GpuEvent::GpuEvent() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event), "cannot create an event");
  event_ = event;
}

GpuEvent::~GpuEvent() { cudaEventDestroy(static_cast<cudaEvent_t>(event_)); }

void GpuEvent::record(const GpuStream& stream) {
  check(
      cudaEventRecord(static_cast<cudaEvent_t>(event_), static_cast<cudaStream_t>(stream.handle())),
      "cannot record an event");
}

void GpuEvent::wait() const {
  check(cudaEventSynchronize(static_cast<cudaEvent_t>(event_)), "the GPU failed");
}

double GpuEvent::milliseconds_since(const GpuEvent& earlier) const {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(earlier.event_),
                             static_cast<cudaEvent_t>(event_)),
        "cannot read an event");
  return milliseconds;
}

}  // namespace sample

#else

namespace sample {

std::string why_no_gpu() { return "it was built without GPU kernels"; }

}  // namespace sample

#endif

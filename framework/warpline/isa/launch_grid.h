// Starting a grid: on the GPU through the CUDA runtime, on the simulator as fibers of this process.
// Host code; the only other place, beside tensor_map_encode.h, where the two targets differ on the
// host.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "warpline/error.h"
#include "warpline/isa/check_mailbox.h"
#include "warpline/isa/cluster_shape.h"
#include "warpline/isa/special_registers.h"
#include "warpline/isa/trace.h"

#if WARPLINE_ON_GPU
#include <cuda_runtime.h>

#include "warpline/isa/trace_buffer.h"
#else
#include "simulator/simulate.h"
#endif

namespace warpline::inline WARPLINE_TARGET {

#if WARPLINE_ON_GPU
/// Where work is queued.
using Stream = cudaStream_t;
#else
/// How work is simulated. Launches return when it is done.
struct Stream {
  simulator::Options options = {};
  simulator::Statistics* statistics = nullptr;
};
#endif

namespace isa {

struct GridShape {
  Index3 grid;
  ClusterShape cluster;
  int threads;
  int64_t shared_bytes;
  int registers;
  int min_ctas_per_sm;
  const char* name;
  /// May start before its predecessor on the stream has ended (dependent_launch.h).
  bool dependent = false;
};

/// A kernel of one role may do without dispatch.
template <class Kernel>
WARPLINE_DEVICE void trace_only_role() {
  if constexpr (Kernel::Roles::size == 1) {
    trace_role(Kernel::Roles::configs[0].name);
  }
}

#if WARPLINE_ON_GPU

inline void check_cuda(cudaError_t status, const std::string& doing) {
  if (status != cudaSuccess) {
    throw Error(doing + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")");
  }
}

/// The same without a string where all is well.
inline void check_cuda(cudaError_t status, const char* doing) {
  if (status != cudaSuccess) {
    check_cuda(status, std::string(doing));
  }
}

/// Throws unless the current device can run sm_90a code and no earlier error is pending.
inline void require_hopper() {
  int devices = 0;
  const cudaError_t counted = cudaGetDeviceCount(&devices);
  if (counted == cudaErrorInsufficientDriver) {
    int driver = 0;
    cudaDriverGetVersion(&driver);
    if (driver == 0) {
      throw Error("no GPU: there is no NVIDIA driver");
    }
    throw Error("the GPU's driver is older than the CUDA runtime: it supports CUDA " +
                std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10) +
                ", this program was built with " + std::to_string(CUDART_VERSION / 1000) + "." +
                std::to_string(CUDART_VERSION % 1000 / 10));
  }
  if (counted == cudaErrorNoDevice || (counted == cudaSuccess && devices == 0)) {
    throw Error("no GPU: the CUDA runtime finds no device");
  }
  check_cuda(counted, "cannot use the GPU");
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cannot find the current GPU");
  int major = 0;
  int minor = 0;
  check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
             "cannot query the GPU");
  check_cuda(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
             "cannot query the GPU");
  if (major != 9 || minor != 0) {
    throw Error("GPU " + std::to_string(device) + " is sm_" + std::to_string(major) +
                std::to_string(minor) + ": these kernels are built for sm_90a (Hopper)");
  }
}

/// Throws if an earlier CUDA call of this process has failed: blaming this launch for it would
/// mislead.
inline void require_no_pending_error() {
  const cudaError_t pending = cudaPeekAtLastError();
  if (pending != cudaSuccess) {
    throw Error(std::string("an earlier CUDA error is pending, nothing was launched: ") +
                cudaGetErrorString(pending) + " (" + cudaGetErrorName(pending) + ")");
  }
}

/// This process' mailbox for checked builds, in pinned memory; null otherwise.
inline CheckMailbox* host_check_mailbox() {
  if constexpr (!checked) {
    return nullptr;
  } else {
    static CheckMailbox* mailbox = [] {
      CheckMailbox* allocated = nullptr;
      check_cuda(cudaHostAlloc(&allocated, sizeof(CheckMailbox), cudaHostAllocMapped),
                 "cannot allocate the check mailbox");
      *allocated = {};
      allocated->wait_limit_nanoseconds = 2'000'000'000;
      return allocated;
    }();
    return mailbox;
  }
}

/// What a wait that ran out has reported, or nothing.
inline std::string expired_wait() {
  CheckMailbox* mailbox = host_check_mailbox();
  if (mailbox == nullptr || mailbox->state != 2) {
    return {};
  }
  const CheckMailbox record = *mailbox;
  mailbox->state = 0;
  return std::string(record.role) + " waited in vain for " + record.barrier + "[" +
         std::to_string(record.stage) + "], parity " + std::to_string(record.parity) + " (CTA " +
         std::to_string(record.cta[0]) + "," + std::to_string(record.cta[1]) + "," +
         std::to_string(record.cta[2]) + ", thread " + std::to_string(record.thread) + "; limit " +
         std::to_string(record.wait_limit_nanoseconds / 1000000) + " ms)";
}

/// This process' timeline (trace_host.h).
struct HostTrace {
  TraceBuffer* buffer = nullptr;
  unsigned char* parts = nullptr;
  bool armed = false;  ///< the next launch is recorded
  std::string kernel;
};

inline HostTrace& host_trace() {
  static HostTrace trace;
  return trace;
}

/// For one launch: where it is recorded, or null.
inline TraceBuffer* take_trace(const char* kernel) {
  HostTrace& trace = host_trace();
  if (!trace.armed) {
    return nullptr;
  }
  trace.armed = false;
  trace.kernel = kernel;
  return trace.buffer;
}

template <class Kernel>
__global__ void __launch_bounds__(Kernel::Roles::threads, Kernel::launch.min_ctas_per_sm)
    kernel_entry(const __grid_constant__ typename Kernel::Arguments arguments
#if WARPLINE_CHECKED
                 ,
                 CheckMailbox* mailbox
#endif
#if WARPLINE_TRACE
                 ,
                 TraceBuffer* trace
#endif
    ) {
  extern __shared__ __align__(1024) unsigned char shared_memory[];
#if WARPLINE_CHECKED
  if (threadIdx.x == 0) {
    set_check_mailbox(mailbox);
  }
  __syncthreads();
#endif
#if WARPLINE_TRACE
  begin_trace(trace);
  trace_only_role<Kernel>();
#endif
  Kernel{}(arguments, *reinterpret_cast<typename Kernel::SharedMemory*>(shared_memory));
#if WARPLINE_TRACE
  end_trace();
#endif
}

/// Once per kernel and device: allows its shared memory and checks what the compiler made of it.
template <class Kernel>
void prepare_kernel(const GridShape& shape) {
  constexpr int max_devices = 64;
  static std::atomic<bool> prepared[max_devices] = {};
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cannot find the current GPU");
  if (device < max_devices && prepared[device].load(std::memory_order_acquire)) {
    return;
  }
  require_hopper();
  const std::string name = std::string("kernel ") + shape.name;
  const auto entry = kernel_entry<Kernel>;
  check_cuda(
      cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(shape.shared_bytes)),
      name + ": cannot have " + std::to_string(shape.shared_bytes) + " bytes of shared memory");
  if (shape.cluster.size() > 8) {
    check_cuda(cudaFuncSetAttribute(entry, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
               name + ": cannot have a cluster of " + std::to_string(shape.cluster.size()));
  }
  cudaFuncAttributes attributes;
  check_cuda(cudaFuncGetAttributes(&attributes, entry), name + ": cannot query it");
  if (shape.registers != 0 && attributes.numRegs != shape.registers) {
    throw Error(name + " declares " + std::to_string(shape.registers) +
                " registers at launch, but was compiled to " + std::to_string(attributes.numRegs) +
                ": set LaunchConfig::registers to that");
  }
  if (device < max_devices) {
    prepared[device].store(true, std::memory_order_release);
  }
}

/// How many clusters of the kernel the current device holds at once. Clusters live within a GPC,
/// and GPCs differ in their multiprocessors: not every multiprocessor may belong to one.
template <class Kernel>
int resident_clusters(const GridShape& shape) {
  constexpr int max_devices = 64;
  static std::atomic<int> known[max_devices] = {};
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cannot find the current GPU");
  int count = device < max_devices ? known[device].load(std::memory_order_relaxed) : 0;
  if (count == 0) {
    prepare_kernel<Kernel>(shape);
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(shape.cluster.x),
                                static_cast<unsigned>(shape.cluster.y), 1};
    cudaLaunchConfig_t config = {};
    config.gridDim =
        dim3(static_cast<unsigned>(shape.cluster.x), static_cast<unsigned>(shape.cluster.y), 1);
    config.blockDim = dim3(static_cast<unsigned>(shape.threads));
    config.dynamicSmemBytes = static_cast<size_t>(shape.shared_bytes);
    config.attrs = &attribute;
    config.numAttrs = 1;
    check_cuda(cudaOccupancyMaxActiveClusters(&count, kernel_entry<Kernel>, &config),
               std::string("kernel ") + shape.name + ": cannot tell how many clusters fit");
    if (count == 0) {
      throw Error(std::string("kernel ") + shape.name + ": no cluster of it fits on this GPU");
    }
    if (device < max_devices) {
      known[device].store(count, std::memory_order_relaxed);
    }
  }
  return count;
}

template <class Kernel>
void launch_grid(Stream stream, const GridShape& shape,
                 const typename Kernel::Arguments& arguments) {
  require_no_pending_error();
  prepare_kernel<Kernel>(shape);
  cudaLaunchAttribute attributes[2];
  unsigned count = 0;
  if (shape.cluster.size() > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count++].val.clusterDim = {static_cast<unsigned>(shape.cluster.x),
                                          static_cast<unsigned>(shape.cluster.y), 1};
  }
  if (shape.dependent) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(shape.grid.x, shape.grid.y, shape.grid.z);
  config.blockDim = dim3(static_cast<unsigned>(shape.threads));
  config.dynamicSmemBytes = static_cast<size_t>(shape.shared_bytes);
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = count;
#if WARPLINE_CHECKED && WARPLINE_TRACE
  const cudaError_t status = cudaLaunchKernelEx(&config, kernel_entry<Kernel>, arguments,
                                                host_check_mailbox(), take_trace(shape.name));
#elif WARPLINE_CHECKED
  const cudaError_t status =
      cudaLaunchKernelEx(&config, kernel_entry<Kernel>, arguments, host_check_mailbox());
#elif WARPLINE_TRACE
  const cudaError_t status =
      cudaLaunchKernelEx(&config, kernel_entry<Kernel>, arguments, take_trace(shape.name));
#else
  const cudaError_t status = cudaLaunchKernelEx(&config, kernel_entry<Kernel>, arguments);
#endif
  if (status != cudaSuccess) {
    check_cuda(status, std::string("cannot launch kernel ") + shape.name);
  }
}

template <class Options>
Stream stream_of(void* stream, const Options&) {
  return static_cast<Stream>(stream);
}

/// The driver takes host pointers without a word, and the kernel dies of them.
inline void require_device_pointer(const void* pointer, const std::string& name) {
  cudaPointerAttributes attributes;
  check_cuda(cudaPointerGetAttributes(&attributes, pointer),
             name + ": cannot tell what its address is");
  if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged) {
    throw Error(name + ": its address is in host memory; kernels need device memory");
  }
}

/// Of the current device: how many CTAs a persistent kernel starts.
inline int multiprocessors() {
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cannot find the current GPU");
  int count = 0;
  check_cuda(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
             "cannot query the GPU");
  return count;
}

inline void require_output_pointer(const void* pointer, const std::string& name) {
  require_hopper();
  require_no_pending_error();
  require_device_pointer(pointer, name);
}

inline void synchronize_stream(Stream stream) {
  const cudaError_t status = cudaStreamSynchronize(stream);
  if (status != cudaSuccess) {
    const std::string wait = expired_wait();
    throw Error(
        "a kernel failed: " + (wait.empty() ? std::string(cudaGetErrorString(status)) : wait) +
        " (" + cudaGetErrorName(status) + ")");
  }
}

/// Sets `rows` rows of `row_bytes` bytes to zero.
inline void fill_zero(Stream stream, void* data, int64_t pitch_bytes, int64_t row_bytes,
                      int64_t rows) {
  require_no_pending_error();
  require_hopper();
  check_cuda(cudaMemset2DAsync(data, static_cast<size_t>(pitch_bytes), 0,
                               static_cast<size_t>(row_bytes), static_cast<size_t>(rows), stream),
             "cannot fill the output with zeros");
}

#else

template <class Kernel>
void prepare_kernel(const GridShape&) {}

template <class Kernel>
void launch_grid(const Stream& stream, const GridShape& shape,
                 const typename Kernel::Arguments& arguments) {
  const simulator::Launch launch{.kernel = shape.name,
                                 .grid = {shape.grid.x, shape.grid.y, shape.grid.z},
                                 .cluster = {static_cast<unsigned>(shape.cluster.x),
                                             static_cast<unsigned>(shape.cluster.y), 1},
                                 .threads = static_cast<unsigned>(shape.threads),
                                 .shared_bytes = static_cast<std::size_t>(shape.shared_bytes),
                                 .registers = shape.registers,
                                 .min_ctas_per_sm = shape.min_ctas_per_sm};
  const simulator::Statistics statistics =
      simulator::simulate(launch, stream.options, [&](void* shared) {
        trace_only_role<Kernel>();
        Kernel{}(arguments, *static_cast<typename Kernel::SharedMemory*>(shared));
      });
  if (stream.statistics != nullptr) {
    *stream.statistics = statistics;
  }
}

inline void synchronize_stream(const Stream&) {}

/// So few that persistent kernels have several tiles for each CTA.
inline int multiprocessors() { return 4; }

template <class Kernel>
int resident_clusters(const GridShape& shape) {
  const int fit = multiprocessors() * shape.min_ctas_per_sm / shape.cluster.size();
  return fit > 0 ? fit : 1;
}

/// The stream that target-neutral code means: a cudaStream_t as void*, or options.
inline Stream stream_of(void*, const simulator::Options& options) { return {.options = options}; }

inline void require_output_pointer(const void*, const std::string&) {}

inline void fill_zero(const Stream&, void* data, int64_t pitch_bytes, int64_t row_bytes,
                      int64_t rows) {
  for (int64_t row = 0; row < rows; ++row) {
    __builtin_memset(static_cast<unsigned char*>(data) + row * pitch_bytes, 0,
                     static_cast<size_t>(row_bytes));
  }
}

#endif

}  // namespace isa

}  // namespace warpline::inline WARPLINE_TARGET

// The GPU side.
#include "device.h"

#include <hip/hip_runtime.h>

#include "saxpy/wave.h"

namespace vec::device {
namespace {

constexpr unsigned kBlock = 256;
constexpr int kWarpSize = 32;

__device__ inline float warp_sum(float value) {
#if defined(__CUDA_ARCH__)
  value = __reduce_add_sync(0xffffffff, value);
#else
  for (int offset = 16; offset > 0; offset >>= 1) {
    value += __shfl_down(value, offset);
  }
#endif
  return value;
}

__global__ void axpy_kernel(size_t n, float a, const float* x, float* y) {
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i < n) {
    y[i] = a * x[i] + y[i];
  }
}

// One block per row.
__global__ void row_sum_kernel(size_t columns, const float* x, float* sums) {
  __shared__ float partial[kBlock / kWarpSize];
  const float* row = x + blockIdx.x * columns;
  float sum = 0.0f;
  for (size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    sum += row[c];
  }
  sum = warp_sum(sum);
  const int lane = threadIdx.x & 31;
  const int wave = threadIdx.x >> 5;
  if (lane == 0) {
    partial[wave] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (unsigned w = 0; w < blockDim.x / kWarpSize; ++w) {
      total += partial[w];
    }
    sums[blockIdx.x] = total;
  }
}

// Device copy of a host array, freed at the end of the scope.
class Buffer {
 public:
  Buffer(const float* host, size_t n) : bytes_(n * sizeof(float)) {
    ok_ = hipMalloc(reinterpret_cast<void**>(&data_), bytes_) == hipSuccess;
    if (ok_ && host != nullptr) {
      ok_ = hipMemcpy(data_, host, bytes_, hipMemcpyHostToDevice) == hipSuccess;
    }
  }
  ~Buffer() {
    if (data_ != nullptr) {
      (void)hipFree(data_);
    }
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  bool ok() const { return ok_; }
  float* get() const { return data_; }
  bool copy_to(float* host) const {
    return hipMemcpy(host, data_, bytes_, hipMemcpyDeviceToHost) == hipSuccess;
  }

 private:
  float* data_ = nullptr;
  size_t bytes_;
  bool ok_ = false;
};

}  // namespace

int count() {
  int devices = 0;
  return hipGetDeviceCount(&devices) == hipSuccess ? devices : 0;
}

bool axpy(size_t n, float a, const float* x, float* y) {
  Buffer dx(x, n), dy(y, n);
  if (!dx.ok() || !dy.ok()) {
    return false;
  }
  const unsigned blocks = static_cast<unsigned>((n + kBlock - 1) / kBlock);
  axpy_kernel<<<blocks, kBlock>>>(n, a, dx.get(), dy.get());
  return hipGetLastError() == hipSuccess && dy.copy_to(y);
}

bool row_sum(size_t rows, size_t columns, const float* x, float* sums) {
  Buffer dx(x, rows * columns), ds(nullptr, rows);
  if (!dx.ok() || !ds.ok()) {
    return false;
  }
  row_sum_kernel<<<static_cast<unsigned>(rows), kBlock>>>(columns, dx.get(), ds.get());
  return hipGetLastError() == hipSuccess && ds.copy_to(sums);
}

}  // namespace vec::device

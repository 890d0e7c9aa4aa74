#include <hip/hip_runtime.h>

__device__ float wave_sum(float v);

__global__ void a(float* out, const float* in) {
  __shared__ float part[32];
  const int lane = threadIdx.x & 31;  //! lane-math-32
  const int warp = threadIdx.x >> 5;  //! lane-math-32
  float v = wave_sum(in[threadIdx.x]);
  if (lane == 0) part[warp] = v;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

__global__ void b(float* out, const float* in, int n) {
  int lane_id = threadIdx.x % 32;  //! lane-math-32
  int warp_id = threadIdx.x / 32;  //! lane-math-32
  unsigned wid = (blockIdx.x * blockDim.x + threadIdx.x) / 32;  //! lane-math-32
  int num_warps = blockDim.x / 32;  //! lane-math-32
  int warps = (blockDim.x + 31) >> 5;  //! lane-math-32
  int nw = (blockDim.x + 32 - 1) / 32;  //! lane-math-32
  float v = __shfl(in[lane_id], 0);
  if (lane_id == 31) out[warp_id] = v;  //! lane-math-32
  if ((threadIdx.x & 31) == 0) out[wid] = v;  //! lane-math-32
  if (threadIdx.x % 32 == 31) out[wid] = v;  //! lane-math-32
  if (threadIdx.x < 32) out[num_warps] = __shfl_down(v, 1);
}

template <int N>
__global__ void c(int* out) {
  auto tid = threadIdx.x + threadIdx.y * blockDim.x;
  const auto lane{tid & 31u};  //! lane-math-32
  const auto warp{tid >> 5u};  //! lane-math-32
  const unsigned laneId = tid & 0x1f;  //! lane-math-32
  out[warp] = __ballot(lane == 0) != 0;
  auto kernel_lane = [=](int t) { return t & 31; };
}

#define LANE_ID (threadIdx.x & 31)  //! lane-math-32
#define WARP_ID (threadIdx.x >> 5)  //! lane-math-32
constexpr int kLog = 5;
#define WARP_MASK_BITS 31
#define LOG_WARP_SIZE 5

__global__ void d(int* out) {
  const int lane = threadIdx.x & WARP_MASK_BITS;
  const int warp = threadIdx.x >> LOG_WARP_SIZE;
  out[warp] = __shfl_xor(lane, 1);
}

__device__ int scan(int v, int lane) {
  for (int d = 1; d < 32; d *= 2) {  //! shuffle-stride-16
    int u = __shfl_up(v, d);
    if (lane >= d) v += u;
  }
  return __shfl(v, 31);  //! shuffle-stride-16
}

__device__ int tree(int v) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2)  //! shuffle-stride-16
    v += __shfl_down(v, offset);
  return v;
}

__device__ int whiled(int v) {
  int s = 16;  //! shuffle-stride-16
  while (s > 0) {
    v = max(v, __shfl_xor(v, s));
    s >>= 1;
  }
  return v;
}

#define HALF_WARP 16
template <typename T, int W = 32>
__device__ T named(T v) {
  for (int m = HALF_WARP; m >= 1; m >>= 1)  //! shuffle-stride-16
    v += __shfl_xor(v, m);
  return v;
}

__device__ float unrolled(float v) {
  v += __shfl_xor(v, 16);  //! shuffle-stride-16
  v += __shfl_xor(v, 8);
  v += __shfl_xor(v, 4);
  v += __shfl_xor(v, 2);
  v += __shfl_xor(v, 1);
  return v;
}

__device__ float five_steps(float v) {
  for (int i = 0; i < 5; ++i)  //! shuffle-stride-16
    v += __shfl_xor(v, 1 << i);
  return v;
}

__device__ float whole(float v) {
  for (int d = 32 >> 1; d; d >>= 1) {  //! shuffle-stride-16
    v += __shfl_down(v, d, 64);
  }
  return __shfl(v, 0);
}

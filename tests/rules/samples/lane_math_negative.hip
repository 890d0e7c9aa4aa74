#include <hip/hip_runtime.h>

__global__ void portable(float* out, const float* in, const unsigned* bits) {
  const int lane = threadIdx.x % warpSize;
  const int warp = threadIdx.x / warpSize;
  const unsigned word = bits[threadIdx.x] >> 5;
  const unsigned bit = bits[threadIdx.x] & 31;
  out[word] = __shfl(in[bit], lane) + warp;
}

__global__ void tile_transpose(float* out, const float* in, int w) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int column = threadIdx.x % 32;
  const int row = threadIdx.x / 32;
  tile[row][column] = in[row * w + x];
  __syncthreads();
  out[column * w + row] = tile[column][row];
}

__device__ float groups(float v) {
  const int lane = threadIdx.x & 31;
  for (int s = 16; s > 0; s >>= 1) v += __shfl_xor(v, s, 32);
  return lane == 0 ? v : 0.f;
}

__device__ float with_macro(float v) {
  for (int s = WARP_SIZE / 2; s > 0; s >>= 1) v += __shfl_xor(v, s);
  return v;
}

__device__ float six_steps(float v) {
  v += __shfl_xor(v, 32);
  v += __shfl_xor(v, 16);
  v += __shfl_xor(v, 8);
  return v;
}

__device__ float to_sixteen(float v) {
  for (int s = 16; s > 0; s >>= 1) v += __shfl_xor(v, s, 32);
  return v + __shfl(v, 31, 32);
}

template <int kWidth>
__device__ float sub(float v) {
  for (int s = kWidth / 2; s > 0; s >>= 1) v += __shfl_xor(v, s, kWidth);
  return v;
}

__device__ float wide(float v) {
  for (int s = 32; s > 0; s >>= 1) v += __shfl_xor(v, s);
  for (int s = 1; s < 64; s <<= 1) v += __shfl_up(v, s);
  return v;
}

inline int words(int n) { return (n + 31) / 32; }
inline dim3 grid(int n) { return dim3((n + 31) / 32, 1, 1); }
struct Bitset {
  unsigned* data;
  __host__ __device__ bool get(int i) const { return data[i >> 5] & (1u << (i & 31)); }
  __device__ void set(int i) { atomicOr(data + i / 32, 1u << (i % 32)); }
};

__global__ void mark(unsigned* words_, const int* idx) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicOr(&words_[i >> 5], 1u << (i & 31));
  const int block = i / 32;  // MX block of 32 values shares a scale
  const int inside = i % 32;
  words_[block] = inside + __ballot(true);
}

#if WARP_SIZE == 32
__device__ int lane32() { return threadIdx.x & 31; }
#else
__device__ int lane32() { return threadIdx.x & 63; }
#endif

__device__ int lane_of(int size) {
  if (size == 32) return threadIdx.x & 31;
  return threadIdx.x & 63;
}

void host(int threads) {
  const int chunks = threads / 32;
  launch(chunks, (threads + 31) / 32);
}

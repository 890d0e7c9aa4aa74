// archs: gfx942
#include <hip/hip_runtime.h>
constexpr int kTile = 128;
__global__ void a(float* out) {
  __shared__ float tile[kTile][kTile];
  out[0] = tile[0][0];
}
template <int N>
__global__ void unknown(float* out) {
  __shared__ float tile[N][N];
  extern __shared__ char raw[];
  out[0] = tile[0][0];
}
__global__ void small(float* out) {
  __shared__ float lhs[64 * 64], rhs[64 * 64];
  out[0] = lhs[0] + rhs[0];
}
__global__ void other(float* out) {
  __shared__ float lhs[64 * 64];
  __shared__ float rhs[64 * 64];
  out[0] = lhs[0] + rhs[0];
}
float host_table[1 << 20];
void launch(float* out, hipStream_t stream, size_t bytes) {
  hipFuncSetAttribute((const void*)small, hipFuncAttributeMaxDynamicSharedMemorySize, 65536);
  hipFuncSetAttribute((const void*)small, hipFuncAttributeMaxDynamicSharedMemorySize, bytes);
  small<<<1 << 20, 256, 64 * 1024, stream>>>(out);
  small<<<131072, 256>>>(out);
  small<<<dim3(100000), 256, bytes>>>(out);
  hipLaunchKernelGGL(small, dim3(98304), dim3(256), 0, stream, out);
#ifdef USE_CUDA
  cudaFuncSetAttribute(small, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304);
#endif
  if (props.sharedMemPerBlock >= 98304) small<<<1, 256, 98304>>>(out);
}

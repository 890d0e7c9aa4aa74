// archs: gfx942
#include <hip/hip_runtime.h>
constexpr int kTile = 128;
#define STAGES 2
constexpr int kBytes = 96 * 1024;

__global__ void a(float* out) {
  __shared__ float tile[kTile][kTile + 1];  //! lds-size
  __shared__ half pair[STAGES][256][128];  //! lds-size
  __shared__ alignas(16) unsigned char raw[100 * 1024];  //! lds-size
  out[0] = tile[0][0];
}

__global__ void several(float* out) {
  __shared__ float lhs[64 * 128];
  __shared__ float rhs[64 * 128];
  __shared__ float sum[16];  //! lds-size
  out[0] = lhs[0] + rhs[0] + sum[0];
}

__global__ void dynamic(float* out) { extern __shared__ float s[]; out[0] = s[0]; }

void launch(float* out, hipStream_t stream) {
  hipFuncSetAttribute(reinterpret_cast<const void*>(dynamic), hipFuncAttributeMaxDynamicSharedMemorySize, 98304);  //! lds-size
  cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);  //! lds-size
  dynamic<<<1, 256, 96 * 1024>>>(out);  //! lds-size
  dynamic<<<dim3(1, 1), dim3(256), kBytes, stream>>>(out);  //! lds-size
  hipLaunchKernelGGL(dynamic, dim3(1), dim3(256), 100 * 1024, stream, out);  //! lds-size
  const size_t smem = 164 * 1024;
  dynamic<<<1, 256, smem, stream>>>(out);  //! lds-size
  hipFuncSetAttribute(
      (const void*)dynamic,
      hipFuncAttributeMaxDynamicSharedMemorySize,
      227 * 1024);  //! lds-size
  void* args[] = {&out};
  hipLaunchKernel((const void*)dynamic, dim3(1), dim3(256), args, 96 << 10, stream);  //! lds-size
}
template <typename T>
struct Traits {
  static constexpr int kSmemSize = 160 * 1024;
  static void go() { cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, kSmemSize); }  //! lds-size
};

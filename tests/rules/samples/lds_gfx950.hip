// archs: gfx950
#include <hip/hip_runtime.h>
__global__ void a(float* out) {
  __shared__ float tile[128][200];
  __shared__ float more[50 * 1024];  //! lds-size
  out[0] = tile[0][0] + more[0];
}
__global__ void b(float* out);
void launch(float* out) {
  hipFuncSetAttribute((const void*)b, hipFuncAttributeMaxDynamicSharedMemorySize, 160 * 1024);
  hipFuncSetAttribute((const void*)b, hipFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024);  //! lds-size
}

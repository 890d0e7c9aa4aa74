// archs: gfx942 gfx950
#include <hip/hip_runtime.h>
#if defined(__gfx950__) || !defined(__HIP_DEVICE_COMPILE__)
__global__ void wide(float* out) {
  __shared__ float tile[128][200];
  out[0] = tile[0][0];
}
#endif
void go(float* out) { wide<<<1, 256, 120 * 1024>>>(out); }
void more(float* out) { wide<<<1, 256, 200 * 1024>>>(out); }  //! lds-size

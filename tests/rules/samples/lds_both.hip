// archs: gfx950 gfx1100
#include <hip/hip_runtime.h>
__global__ void a(float* out) {
  __shared__ float tile[128][200];  //! lds-size
  out[0] = tile[0][0];
}

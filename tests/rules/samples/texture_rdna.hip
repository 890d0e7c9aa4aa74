// archs: gfx1100 gfx1201 gfx90a
#include <hip/hip_runtime.h>
__global__ void k(hipTextureObject_t t, float* out) { out[0] = tex2D<float>(t, 0.f, 0.f); }

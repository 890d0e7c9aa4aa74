// archs: gfx90a gfx942
#include <hip/hip_runtime.h>
struct Sampler { float tex2D(float x, float y); };
float at(Sampler& s) { return s.tex2D(0.f, 1.f); }
float sample(const Sampler* s) { return s->tex2D(0.f, 1.f) + my::tex2D(0, 1); }
#if !defined(__HIP_NO_IMAGE_SUPPORT) || !__HIP_NO_IMAGE_SUPPORT
__device__ float image(hipTextureObject_t t) { return tex2D<float>(t, 0, 0); }
#endif
#ifdef USE_CUDA
__device__ float nv(cudaTextureObject_t t) { return tex2D<float>(t, 0, 0); }
#endif
void use(hipTextureObject_t t);
__device__ float soft(const float* img, int pitch, int x, int y) { return img[y * pitch + x]; }
bool ask() {
  int images = 0;
  hipDeviceGetAttribute(&images, hipDeviceAttributeImageSupport, 0);
  return images;
}

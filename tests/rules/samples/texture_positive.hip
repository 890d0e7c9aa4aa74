// archs: gfx90a gfx942
#include <hip/hip_runtime.h>
texture<float, 2, hipReadModeElementType> ref;  //! texture-without-image-units
texture<float4, cudaTextureType1D> other;  //! texture-without-image-units
__global__ void k(hipTextureObject_t t, hipSurfaceObject_t s, float* out) {
  out[0] = tex2D<float>(t, 0.f, 0.f);  //! texture-without-image-units
  out[1] = tex1Dfetch<float4>(t, 3).x;  //! texture-without-image-units
  out[2] = tex3D<float>(t, 0, 0, 0);  //! texture-without-image-units
  out[3] = tex2DLod<float>(t, 0, 0, 1);  //! texture-without-image-units
  tex1Dfetch(&out[4], t, 5);  //! texture-without-image-units
  surf2Dwrite(1.f, s, 4, 0);  //! texture-without-image-units
  surf2Dread(&out[5], s, 4, 0);  //! texture-without-image-units
  out[6] = texCubemap<float>(t, 0, 0, 1);  //! texture-without-image-units
  out[7] = tex2DLayered<float>(t, 0, 0, 1);  //! texture-without-image-units
  out[8] = tex2Dgather<float4>(t, 0, 0).x;  //! texture-without-image-units
}
hipError_t make(hipTextureObject_t* t, hipResourceDesc* r, hipTextureDesc* d) {
  return hipCreateTextureObject(t, r, d, nullptr);  //! texture-without-image-units
}
void bind(float* p) {
  cudaBindTexture(0, other, p, 64);  //! texture-without-image-units
  hipBindTexture2D(nullptr, ref, p, desc, 4, 4, 16);  //! texture-without-image-units
  hipCreateSurfaceObject(&s, &r);  //! texture-without-image-units
}

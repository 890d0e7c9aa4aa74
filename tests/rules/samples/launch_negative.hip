#include <hip/hip_runtime.h>
__global__ void child(int n) { n <<= 1; int x = n << 3; (void)x; }
void parent(int n) {
  child<<<1, 64>>>(n);
  hipLaunchKernelGGL(child, dim3(1), dim3(64), 0, 0, n);
  hipDeviceSynchronize();
}
template <typename T>
__host__ void both(T n) { child<<<1, 64>>>(n); }
struct Runner {
  void operator()(int n) const { child<<<dim3(n), 64>>>(n); }
};
#define LAUNCH(n) child<<<1, n>>>(n)
auto run = [](int n) { child<<<1, 64>>>(n); };
__global__ void last(int n) {
#ifdef USE_CUDA
  child<<<1, 1>>>(n);
#endif
}
__host__ __device__ void either(int n) {
#ifndef __HIP_DEVICE_COMPILE__
  child<<<1, 1>>>(n);
#endif
}

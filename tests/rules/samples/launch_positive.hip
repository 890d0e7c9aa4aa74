#include <hip/hip_runtime.h>
__global__ void child(int n);
template <int N> __global__ void typed(int n);
__global__ void parent(int n) {
  if (n > 0) child<<<1, 64>>>(n - 1);  //! device-side-launch
  typed<4><<<dim3(1), 64, 0, 0>>>(n);  //! device-side-launch
  hipLaunchKernelGGL(child, dim3(1), dim3(64), 0, 0, n);  //! device-side-launch
}
__device__ void helper(int n) {
  child  //! device-side-launch
      <<<1, 64>>>(n);
}
template <typename F>
__global__ __launch_bounds__(64) void sort_kernel(F f, int n) {
  auto again = [&](int k) { child<<<1, 1>>>(k); };  //! device-side-launch
  again(n);
  cudaDeviceSynchronize();  //! device-side-launch
}
namespace ns {
static __global__ void __launch_bounds__(256)
quick(int* data, int l, int r) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);  //! device-side-launch
  ns::quick<<<1, 1, 0, s>>>(data, l, r);  //! device-side-launch
}
}  // namespace ns

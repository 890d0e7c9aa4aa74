#include <hip/hip_runtime.h>
__global__ void publish(int* peer_flag, float* remote, float v) {
  remote[threadIdx.x] = v;
  __threadfence();  //! device-scope-between-gpus
  __hip_atomic_store(peer_flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);  //! device-scope-between-gpus
  atomicAdd(&peer_flag[1], 1);  //! device-scope-between-gpus
  __hip_atomic_store(peer_flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
  __threadfence_system();
}
__global__ void last_block(int* count, float* part) {
  __threadfence();
  if (atomicAdd(count, 1) == gridDim.x - 1) part[0] = 0.f;
}
__global__ void poll(int* ready, volatile int* flag, float* out) {
  while (*(volatile int*)ready == 0) {}  //! volatile-flag
  while (!flag[0]);  //! volatile-flag
  out[0] = 1.f;
}
__global__ void poll_ordered(volatile int* flag, float* out) {
  while (*flag == 0) {}
  __threadfence();
  out[0] = 1.f;
}
void wait_on_host(volatile int* flag) { while (*flag == 0) {} }

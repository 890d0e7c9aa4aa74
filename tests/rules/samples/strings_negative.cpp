#include <hip/hiprtc.h>
static const char* kHip = R"code(
extern "C" __global__ void count(const int* flags, unsigned long long* out) {
  out[0] = __ballot(flags[threadIdx.x]);
#ifdef __HIPCC_RTC__
  float v = __shfl_xor(1.f, 1);
#else
  float v = __shfl_xor_sync(0xffffffff, 1.f, 1);
#endif
}
)code";
const char* message = "use __ballot and __popc(__ballot(x)) with 0xffffffff in your __shfl_sync calls";
const char* doc = "kernels must not use asm(\"mov.u32 %0, %%laneid;\")";
#ifdef USE_CUDA
static const char* kCuda = R"(
__device__ float f(float v) { return __shfl_xor_sync(0xffffffff, v, 1); }
)";
#endif

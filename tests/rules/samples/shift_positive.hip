#include <hip/hip_runtime.h>

__device__ unsigned long long below(int lane) {
  unsigned long long m = (1 << lane) - 1;  //! lane-shift-32-bit
  m |= (1u << lane) - 1u;  //! lane-shift-32-bit
  m |= ~(-1 << lane);  //! lane-shift-32-bit
  m |= 1 << (threadIdx.x % warpSize);  //! lane-shift-32-bit
  m |= 1U << (threadIdx.x & 63);  //! lane-shift-32-bit
  m |= 0xffffffff << lane;  //! lane-shift-32-bit
  m |= 0xffffffffu >> (warpSize - lane);  //! lane-shift-32-bit
  m |= 1u << __lane_id();  //! lane-shift-32-bit
  m |= (1u << laneId()) - 1;  //! lane-shift-32-bit
  m |= uint32_t(1) << lane_id;  //! lane-shift-32-bit
  m |= static_cast<unsigned>(1) << lane;  //! lane-shift-32-bit
  m |= (unsigned)1 << lane;  //! lane-shift-32-bit
  return m;
}

#define LT_MASK(l) ((1u << (lane + 0)) - 1)  //! lane-shift-32-bit

template <int W>
__device__ int rank(unsigned long long votes, int laneIdx) {
  const unsigned lt = (1 << laneIdx) - 1;  //! lane-shift-32-bit
  return __popcll(votes & ((1 << laneIdx) - 1));  //! lane-shift-32-bit
}

__device__ unsigned long long group(int width) {
  return (1 << warpSize) - 1;  //! lane-shift-32-bit
}

__device__ bool in(unsigned long long votes, int n) {
  const int lane = threadIdx.x % warpSize;
  auto mine = votes & (1 << lane);  //! lane-shift-32-bit
  unsigned long long m = __ballot(n > 0);
  int k = n & 63;
  return (m & (1u << k)) != 0 || mine;  //! lane-shift-32-bit
}

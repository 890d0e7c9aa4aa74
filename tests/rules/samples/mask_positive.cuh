#pragma once
#include <hip/hip_runtime.h>

constexpr unsigned kAll = 0xffffffff;  //! lane-mask-32-bit
#define ALL_LANES 0xFFFFFFFFU  //! lane-mask-32-bit
static const uint32_t everyone = UINT32_MAX;  //! lane-mask-32-bit
enum : unsigned { kEnumMask = 0xffffffffu };  //! lane-mask-32-bit
inline constexpr uint32_t kNegative = -1;  //! lane-mask-32-bit
#define ONES (~0u)  //! lane-mask-32-bit

template <typename T>
__device__ T xor_sum(T v) {
  v += __shfl_xor_sync(kAll, v, 1);
  v += __shfl_down_sync(ALL_LANES, v, 2);
  v += __shfl_sync(everyone, v, 0);
  v += __shfl_up_sync(kEnumMask, v, 1);
  v += __shfl_xor_sync(kNegative, v, 1);
  v += __shfl_xor_sync(ONES, v, 1);
  v += __shfl_xor_sync(uint32_t(-1), v, 1);  //! lane-mask-32-bit
  v += __shfl_xor_sync((unsigned)-1, v, 1);  //! lane-mask-32-bit
  v += __shfl_xor_sync(-1, v, 1);  //! lane-mask-32-bit
  v += __shfl_xor_sync(~0u, v, 1);  //! lane-mask-32-bit
  v += __shfl_xor_sync(0x0000ffff, v, 1);  //! lane-mask-32-bit
  v += __shfl_xor_sync(static_cast<unsigned>(0xffffffff), v, 1);  //! lane-mask-32-bit
  return v;
}

__device__ void locals(float v, bool p) {
  const unsigned mask = 0xffffffffu;  //! lane-mask-32-bit
  __syncwarp(0xffffffff);  //! lane-mask-32-bit
  __shfl_sync(mask, v, 0);
  const unsigned active = __ballot_sync(  //! ballot-in-32-bits
      0xffffffff,  //! lane-mask-32-bit
      p);
  unsigned m = __activemask();  //! ballot-in-32-bits
  __shfl_sync(m, v, 0);
}

template <unsigned Mask = 0xffffffffu>  //! lane-mask-32-bit
__device__ float with_default(float v) { return __shfl_xor_sync(Mask, v, 1); }

__device__ float with_argument(float v, unsigned mask = 0xffffffff) {  //! lane-mask-32-bit
  return __shfl_xor_sync(mask, v, 1);
}

#define REDUCE(v)                                        \
  do {                                                   \
    v += __shfl_xor_sync(0xffffffff, v, 16); /*! lane-mask-32-bit shuffle-stride-16 */ \
    v += __shfl_xor_sync(0xffffffff, v, 8); /*! lane-mask-32-bit */  \
  } while (0)

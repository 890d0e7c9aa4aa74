#pragma once
#include <hip/hip_runtime.h>
#include <cstdint>

#if defined(USE_ROCM) || defined(__HIP_PLATFORM_AMD__)
#define FULL_WARP 0xffffffffffffffffull
#define SHFL_XOR(v, m) __shfl_xor(v, m)
#else
#define FULL_WARP 0xffffffffu
#define SHFL_XOR(v, m) __shfl_xor_sync(0xffffffffu, v, m)
#endif
#ifndef __HIP_PLATFORM_AMD__
constexpr unsigned kAll = 0xffffffff;
#else
constexpr uint64_t kAll = ~0ull;
#endif
constexpr uint64_t kWide = ~0ULL;
static constexpr unsigned long long kEvery = 0xffffffffffffffff;
constexpr uint32_t kInvalidIndex = 0xffffffff;
constexpr uint32_t kByteMask = 0xff;
#define COLOR_MASK 0xffffffff
constexpr uint32_t kHashSeed = 0xffffffffu;
constexpr uint32_t kAddressMask = 0xffffffffu;

template <typename T>
__device__ T sum(T v) {
  v += __shfl_xor_sync(FULL_WARP, v, 1);
  v += __shfl_xor_sync(kAll, v, 2);
  v += __shfl_xor_sync(kWide, v, 2);
  v += __shfl_xor_sync(~0ull, v, 4);
  v += __shfl_xor_sync(0xffffffffffffffffULL, v, 4);
  v += __shfl_xor_sync(uint64_t(-1), v, 4);
  v += __shfl_xor_sync((unsigned long long)-1, v, 4);
  v += __shfl_xor_sync(static_cast<uint64_t>(~0ull), v, 4);
  v += __shfl_xor_sync(__activemask(), v, 8);
  v += __shfl_xor_sync(__ballot(true), v, 8);
  return v;
}
__device__ void step() { __syncwarp(); }
inline uint32_t crc(uint32_t c) { return c ^ 0xffffffffu; }
inline uint32_t inverse(uint32_t mask) { return mask ^ 0xffffffffu; }
inline uint32_t low(uint64_t v) { return uint32_t(v & 0xffffffff); }

template <typename M>
__device__ float masked(M mask, float v) { return __shfl_xor_sync(mask, v, 1); }

#ifdef __HIPCC__
#define __shfl_sync(mask, v, lane) __shfl(v, lane)
#endif
__device__ float first(float v) { return __shfl_sync(0xffffffff, v, 0); }

#include <hip/hip_runtime.h>
__device__ unsigned long long below(int lane) {
  unsigned long long m = (1ull << lane) - 1;
  m |= ~0ull >> (63 - lane);
  m |= uint64_t(1) << lane;
  m |= static_cast<unsigned long long>(1) << lane;
  m |= 1UL << lane;
  m |= (uint64_t{1} << lane) - 1;
  return m;
}
int bit(int planet) { return 1 << planet; }
unsigned flags(int i) { return 1u << (i & 31); }
int planes(int i) { return 1 << i; }
constexpr int kTile = 1 << 5;
__device__ unsigned sub(int lane) { return 1u << (lane & 31); }
__device__ unsigned sub2(int lane) { return 1u << (lane % 32); }
__device__ unsigned quad(int lane) { return 1u << (lane & 3); }
__device__ unsigned quad4(int lane) { return 0xfu << (lane / 4); }

#include <hip/hip_runtime.h>
#include <cstdint>
using lane_mask = unsigned long long;

struct Votes {
  unsigned long long active;
  uint64_t mask;
};

__device__ void members(Votes& v, Votes* p, bool b) {
  v.mask = __ballot(b);
  p->active = __activemask();
}

__device__ uint64_t vote(bool b) { return __ballot(b); }
__device__ lane_mask vote_sync(bool b) {
  const bool set = b;
  return __ballot_sync(~0ull, set);
}
template <typename T>
__device__ auto generic(T v) { return __ballot(v > T(0)); }

__device__ int counts(bool b, unsigned word) {
  int n = __popcll(__ballot(b));
  n += __popcll(__ballot(b) & ((1ull << 5) - 1));
  n += __ffsll((unsigned long long)__ballot(b));
  n += __popc(word) + __ffs(word) + __clz(word);
  n += 63 - __clzll(__activemask());
  const int any = __ballot(b) != 0;
  int set = __ballot(b) ? 1 : 0;
  const bool all = __ballot(b) == ~0ull;
  int rank = __popcll(__ballot(b)) - 1;
  unsigned lead = __ffsll(__ballot(b)) - 1;
  bool mine = (__ballot(b) >> __lane_id()) & 1;
  return n + any + set + all + rank + lead + mine;
}

__device__ int later(bool b) {
  auto m = __ballot(b);
  int first = __ffsll(m) - 1;
  unsigned low = static_cast<unsigned>(m & 0xffffffffull);
  unsigned high = static_cast<unsigned>(m >> 32);
  return first + __popcll(m) + __popc(low) + __popc(high);
}

__device__ unsigned halves(bool b) {
  const uint64_t votes = __ballot(b);
  const unsigned half = (threadIdx.x & 32) ? static_cast<unsigned>(votes >> 32) : static_cast<unsigned>(votes);
  return __popc(half);
}

#ifdef USE_ROCM
using Mask = uint64_t;
#else
using Mask = uint32_t;
#endif
__device__ Mask either(bool b) {
  Mask m = __ballot(b);
  return m;
}

#ifdef USE_CUDA
__device__ unsigned cuda_only(bool b) { unsigned m = __ballot_sync(0xffffffffu, b); return __popc(m); }
#endif

__device__ int popcount(uint64_t m) { return __popcll(m); }
__device__ int popcount(unsigned m) { return __popc(m); }
__device__ int cooperative(bool b) {
  auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  unsigned m = tile.ballot(b);
  return __popc(m);
}

#include <hip/hip_runtime.h>
#include <cstdint>

struct Votes {
  unsigned active;
  uint32_t mask;
  unsigned long long wide;
};

__device__ void members(Votes& v, Votes* p, bool b) {
  v.mask = __ballot(b);  //! ballot-in-32-bits
  p->active = __activemask();  //! ballot-in-32-bits
  v.wide = __ballot(b);
}

__device__ uint32_t vote(bool b) {
  return __ballot(b);  //! ballot-in-32-bits
}

template <typename T>
__device__ inline unsigned int vote_sync(T v) {
  const bool set = v > T(0);
  return __ballot_sync(~0ull, set);  //! ballot-in-32-bits
}

__device__ int nested(bool b) {
  int n = __popc(__ballot(b));  //! ballot-in-32-bits
  n += __popc(__ballot(b) & ((1ull << 5) - 1));  //! ballot-in-32-bits
  n += __ffs((int)__ballot(b));  //! ballot-in-32-bits
  n += __clz(static_cast<unsigned>(__ballot(b)));  //! ballot-in-32-bits
  n += 31 - __clz(__activemask());  //! ballot-in-32-bits
  return n + __brev(__ballot(b));  //! ballot-in-32-bits
}

__device__ int later(bool b) {
  auto m = __ballot(b);
  const auto active = __activemask();
  int first = __ffs(m) - 1;  //! ballot-in-32-bits
  int count = __popc(m & active);  //! ballot-in-32-bits
  unsigned low = static_cast<unsigned>(m);  //! ballot-in-32-bits
  return first + count + low;
}

__device__ void declared_first(bool b) {
  unsigned mask;
  mask = __ballot(b);  //! ballot-in-32-bits
  uint32_t peers = 0, other;
  peers |= __ballot(b);  //! ballot-in-32-bits
  other = __match_any_sync(~0ull, b);  //! ballot-in-32-bits
}

#define VOTE(p) ((unsigned)__ballot(p))  //! ballot-in-32-bits

__global__ void shared_votes(uint32_t* out, bool b) {
  __shared__ unsigned tally[16];
  tally[threadIdx.x / warpSize] = __ballot(b);  //! ballot-in-32-bits
  out[blockIdx.x] = __ballot(b);  //! ballot-in-32-bits
  if (__ballot(b) == 0xFFFFFFFFu) out[0] = 1;  //! ballot-in-32-bits
  if (__ballot(b) == 0xffffffff) out[0] = 1;  //! ballot-in-32-bits
  bool all = __activemask() == ~0u;  //! ballot-in-32-bits
}

__device__ void lambda(bool b) {
  auto vote = [&](bool p) -> unsigned { return __ballot(p); };  //! ballot-in-32-bits
  std::uint32_t m{__ballot(b)};  //! ballot-in-32-bits
  uint32_t bits(__ballot(b));  //! ballot-in-32-bits
}

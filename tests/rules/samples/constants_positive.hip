#include <hip/hip_runtime.h>
#define WARP_SIZE 32  //! warp-size-constant
#define WARPSIZE (32)  //! warp-size-constant
#define kWarp 32  //! warp-size-constant
constexpr int warp_size = 32;  //! warp-size-constant
static const unsigned WAVE_SIZE = 32u;  //! warp-size-constant
constexpr size_t kThreadsPerWarp{32};  //! warp-size-constant
enum { WarpThreads = 32 };  //! warp-size-constant
struct Traits {
  static constexpr int kWarpSize = 32;  //! warp-size-constant
  static constexpr int kNumThreadsPerWarp = 1 << 5;  //! warp-size-constant
  enum { LANES_PER_WARP = 32 };  //! warp-size-constant
};
inline constexpr auto kLanesPerWarp = 32;  //! warp-size-constant
template <typename T, int WarpSize = 32>  //! warp-size-constant
__device__ T reduce(T v) {
  for (int s = WarpSize / 2; s; s /= 2) v += __shfl_xor(v, s);
  return v;
}
void host() {
  const int warpSize = 32;  //! warp-size-constant
  constexpr int threads_per_warp = 32;  //! warp-size-constant
  const dim3 block(warpSize * 4);
  int wavefront_size = 32;  //! warp-size-constant
}
constexpr int NUM_WARPS = 1024 / 32;
#ifndef WAVE_WIDTH
#define WAVE_WIDTH 32  //! warp-size-constant
#endif

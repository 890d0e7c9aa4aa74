#include <hip/hip_runtime.h>
#define TILE 32
constexpr int kTileSize = 32;
constexpr int kNumWarps = 32;
constexpr int kMaxWarpsPerBlock = 32;
constexpr int kWarpsPerBlock = 32;
constexpr int kWarpTileM = 32;
constexpr int kWarpM = 32, kWarpN = 64;
#define WARP_TILE_K 32
constexpr int kBlockSize = 32;
#define QK_MX 32
constexpr int kLogWarpSize = 5;
constexpr int kWarpRowStride = 32;
constexpr int kMemWavefrontBytes = 32;
constexpr int kHalfWarpSize = 32;
constexpr int half_wave_size = 32;
constexpr int kSubWarpSize = 32;
constexpr int kLogicalWarpSize = 32;
constexpr int kMinWarpSize = 32;
constexpr int kMaxWarpSize = 64;
#if defined(USE_ROCM)
constexpr int kWarpSize = 64;
#else
constexpr int kWarpSize = 32;
#endif
#ifdef USE_CUDA
#define WARP_SIZE 32
#endif
constexpr int kWaveLanes = kIsAmd ? 64 : 32;
constexpr int warp_elems = 32;
template <int WAVE_SZ, bool WIDE>
struct Config;
__device__ void groups() {
  auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  if (warpSize == 32) work();
  switch (warpSize) {
    case 32: small(); break;
    case 64: large(); break;
  }
}
void query(int wave_size) {
  if (wave_size == 32) small();
}

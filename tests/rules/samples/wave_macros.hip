#include <hip/hip_runtime.h>
#if defined(__GFX9__)  //! wave-size-by-device-macro
#define WARP_SIZE 64
#else
#define WARP_SIZE 32
#endif
#ifdef __gfx90a__  //! wave-size-by-device-macro
static constexpr int kWaveSize = 64;
#elif defined(__gfx1100__)
static constexpr int kWaveSize = 32;
#endif
constexpr int kLanes = __AMDGCN_WAVEFRONT_SIZE;  //! wavefront-size-macro
#define WAVE __AMDGCN_WAVEFRONT_SIZE__  //! wavefront-size-macro
int blocks(int n) { return (n + __AMDGCN_WAVEFRONT_SIZE - 1) / __AMDGCN_WAVEFRONT_SIZE; }  //! wavefront-size-macro
#if __AMDGCN_WAVEFRONT_SIZE == 64  //! wavefront-size-macro wave-size-by-device-macro
constexpr int kWarpWidth = 64;
#else
constexpr int kWarpWidth = 32;
#endif
#if defined(__HIP_DEVICE_COMPILE__) && defined(__GFX9__)
constexpr int kDeviceWave = 64;
#endif
#if defined(__GFX9__)
#define HAS_MFMA 1
#endif
#ifdef __GFX9__  //! wave-size-by-device-macro
inline constexpr unsigned warp_threads() { return 64; }
#else
inline constexpr unsigned warp_threads() { return 32; }
#endif

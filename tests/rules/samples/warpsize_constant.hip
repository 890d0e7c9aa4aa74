#include <hip/hip_runtime.h>
constexpr int kWaves = 1024 / warpSize;  //! warpsize-constant-expression
static constexpr auto kMask = warpSize - 1;  //! warpsize-constant-expression
static_assert(warpSize == 64, "wave64 only");  //! warpsize-constant-expression
template <int W> __device__ float reduce(float v);
template <int W = warpSize> __device__ float defaulted(float v);  //! warpsize-constant-expression
enum { kCount = warpSize };  //! warpsize-constant-expression
#if warpSize == 64  //! warpsize-constant-expression
#endif
struct Tile { float rows[warpSize]; };  //! warpsize-constant-expression
template <typename T, std::enable_if_t<(sizeof(T) * warpSize > 128), int> = 0>  //! warpsize-constant-expression
__device__ void chosen(T v);
__global__ __launch_bounds__(4 * warpSize) void k(float* out, const hipDeviceProp_t& props) {  //! warpsize-constant-expression
  __shared__ float part[1024 / warpSize];  //! warpsize-constant-expression
  __shared__ float grid[2][warpSize + 1];  //! warpsize-constant-expression
  float v = reduce<warpSize>(out[0]);  //! warpsize-constant-expression
  using Reduce = hipcub::WarpReduce<float, warpSize>;  //! warpsize-constant-expression
  auto tile = cooperative_groups::tiled_partition<warpSize>(cooperative_groups::this_thread_block());  //! warpsize-constant-expression
  std::array<float, warpSize> regs;  //! warpsize-constant-expression
  if constexpr (warpSize == 64) v += 1;  //! warpsize-constant-expression
  std::integral_constant<int, warpSize> c;  //! warpsize-constant-expression
  switch (threadIdx.x) {
    case warpSize: v += 2; break;  //! warpsize-constant-expression
  }
  const int lane = threadIdx.x % warpSize;
  const int warps = blockDim.x / warpSize;
  int* p = new int[warpSize];
  out[warpSize] = part[lane / warpSize];
  for (int i = lane; i < warpSize && i > 0; i += warpSize) v += i;
  if (lane < warpSize) v = lane > warpSize ? v : -v;
  const int wave = warpSize;
  v = __shfl(v, warpSize - 1, warpSize);
  launch(props.warpSize, dim3(warpSize), out[lane % warpSize]);
  return grid[0][warpSize - 1];
}
#pragma unroll warpSize

// Wave-wide reductions that hold for 32 and for 64 lanes.
#pragma once

#include <hip/hip_runtime.h>

namespace vec {

__device__ inline float wave_sum(float value) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    value += __shfl_down(value, offset, warpSize);
  }
  return value;
}

}  // namespace vec

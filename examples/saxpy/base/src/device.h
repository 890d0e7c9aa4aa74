#pragma once

#include <cstddef>

namespace vec::device {

// The number of GPUs, 0 when the driver is not there.
int count();

// Each returns false when the GPU refused; the caller then falls back to the CPU.
bool axpy(size_t n, float a, const float* x, float* y);
bool row_sum(size_t rows, size_t columns, const float* x, float* sums);

}  // namespace vec::device

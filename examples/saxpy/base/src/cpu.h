#pragma once

#include <cstddef>

namespace vec::cpu {

void axpy(size_t n, float a, const float* x, float* y);
void row_sum(size_t rows, size_t columns, const float* x, float* sums);
float max_abs(size_t n, const float* x);

}  // namespace vec::cpu

// The CPU side: the reference for the kernels, and what runs where no GPU is.
#include "cpu.h"

#include <algorithm>
#include <cmath>

namespace vec::cpu {

void axpy(size_t n, float a, const float* x, float* y) {
  for (size_t i = 0; i < n; ++i) {
    y[i] = a * x[i] + y[i];
  }
}

void row_sum(size_t rows, size_t columns, const float* x, float* sums) {
  for (size_t r = 0; r < rows; ++r) {
    const float* row = x + r * columns;
    float sum = 0.0f;
    for (size_t c = 0; c < columns; ++c) {
      sum += row[c];
    }
    sums[r] = sum;
  }
}

float max_abs(size_t n, const float* x) {
  float largest = 0.0f;
  for (size_t i = 0; i < n; ++i) {
    largest = std::max(largest, std::fabs(x[i]));
  }
  return largest;
}

}  // namespace vec::cpu

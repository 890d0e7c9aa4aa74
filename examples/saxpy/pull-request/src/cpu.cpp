// The CPU side: the reference for the kernels, and what runs where no GPU is.
#include "cpu.h"

#include <algorithm>
#include <cmath>

namespace vec::cpu {

void axpy(size_t n, float a, const float* x, float* y) {
  for (size_t i = 0; i < n; ++i) {
    // Same rounding as the reference: multiply and add in double, round once.
    const double product = static_cast<double>(a) * static_cast<double>(x[i]);
    y[i] = static_cast<float>(product + static_cast<double>(y[i]));
  }
}

void row_sum(size_t rows, size_t columns, const float* x, float* sums) {
  for (size_t r = 0; r < rows; ++r) {
    const float* row = x + r * columns;
    float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
    for (size_t c = 0; c + 4 <= columns; c += 4) {
      s0 += row[c];
      s1 += row[c + 1];
      s2 += row[c + 2];
      s3 += row[c + 3];
    }
    sums[r] = (s0 + s1) + (s2 + s3);
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

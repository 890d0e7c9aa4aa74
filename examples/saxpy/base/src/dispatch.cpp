// The C interface: the GPU first where there is one, else the CPU.
#include "cpu.h"
#include "saxpy/saxpy.h"

#if SAXPY_HIP
#include "device.h"
#endif

namespace {

bool has_gpu() {
#if SAXPY_HIP
  static const bool found = vec::device::count() > 0;
  return found;
#else
  return false;
#endif
}

}  // namespace

extern "C" {

void saxpy(size_t n, float a, const float* x, float* y) {
#if SAXPY_HIP
  if (n > 0 && has_gpu() && vec::device::axpy(n, a, x, y)) {
    return;
  }
#endif
  vec::cpu::axpy(n, a, x, y);
}

void saxpy_row_sum(size_t rows, size_t columns, const float* x, float* sums) {
#if SAXPY_HIP
  if (rows > 0 && columns > 0 && has_gpu() && vec::device::row_sum(rows, columns, x, sums)) {
    return;
  }
#endif
  vec::cpu::row_sum(rows, columns, x, sums);
}

float saxpy_max_abs(size_t n, const float* x) { return vec::cpu::max_abs(n, x); }

int saxpy_devices(void) {
#if SAXPY_HIP
  return vec::device::count();
#else
  return 0;
#endif
}

}  // extern "C"

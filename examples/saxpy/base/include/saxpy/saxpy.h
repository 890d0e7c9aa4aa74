// The C interface of libsaxpy. Every function runs on the GPU when there is one, else on the CPU.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// y[i] = a * x[i] + y[i]
void saxpy(size_t n, float a, const float* x, float* y);

// sums[r] = x[r * columns] + … + x[r * columns + columns - 1]
void saxpy_row_sum(size_t rows, size_t columns, const float* x, float* sums);

// The largest absolute value, 0 for no elements.
float saxpy_max_abs(size_t n, const float* x);

// How many GPUs this library can use.
int saxpy_devices(void);

#ifdef __cplusplus
}
#endif

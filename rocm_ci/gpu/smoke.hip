// A kernel and a copy, each value checked: does the one visible GPU work? Prints one line of JSON, and what it
// is about to do on standard error, so that a hang can be placed.
// Exit code 0: right, 1: wrong values, 2: no GPU, 3: the runtime refused.
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr uint32_t kValues = 1u << 20;
constexpr uint32_t kThreads = 256;

__global__ void add(const uint32_t* a, const uint32_t* b, uint32_t* sum, uint32_t* wave) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kValues) sum[i] = a[i] + b[i];
  if (i == 0) *wave = static_cast<uint32_t>(warpSize);
}

const char* g_step = "";

void begin(const char* step) {
  g_step = step;
  std::fprintf(stderr, "rocm-ci smoke: %s\n", step);
}

int refused(hipError_t error) {
  std::printf("{\"rocm_ci_smoke\": 1, \"step\": \"%s\", \"error\": \"%s (%d)\"}\n", g_step, hipGetErrorName(error),
              static_cast<int>(error));
  return error == hipErrorNoDevice ? 2 : 3;
}

// The same pattern on every host, without a generator that a library could change.
uint32_t pattern(uint32_t i, uint32_t seed) { return (i + seed) * 2654435761u; }

}  // namespace

#define TRY(step, call)                                   \
  do {                                                    \
    begin(step);                                          \
    const hipError_t error_ = (call);                     \
    if (error_ != hipSuccess) return refused(error_);     \
  } while (0)

int main() {
  int devices = 0;
  TRY("counting devices", hipGetDeviceCount(&devices));
  if (devices == 0) {
    std::printf("{\"rocm_ci_smoke\": 1, \"step\": \"counting devices\", \"error\": \"no device\"}\n");
    return 2;
  }
  hipDeviceProp_t about;
  TRY("asking for properties", hipGetDeviceProperties(&about, 0));
  TRY("choosing the device", hipSetDevice(0));

  std::vector<uint32_t> a(kValues), b(kValues), sum(kValues, 0), back(kValues, 0);
  for (uint32_t i = 0; i < kValues; ++i) {
    a[i] = pattern(i, 1);
    b[i] = pattern(i, 7);
  }
  const size_t bytes = kValues * sizeof(uint32_t);
  uint32_t *da = nullptr, *db = nullptr, *dsum = nullptr, *dwave = nullptr;
  TRY("allocating", hipMalloc(reinterpret_cast<void**>(&da), bytes));
  TRY("allocating", hipMalloc(reinterpret_cast<void**>(&db), bytes));
  TRY("allocating", hipMalloc(reinterpret_cast<void**>(&dsum), bytes));
  TRY("allocating", hipMalloc(reinterpret_cast<void**>(&dwave), sizeof(uint32_t)));
  TRY("copying to the device", hipMemcpy(da, a.data(), bytes, hipMemcpyHostToDevice));
  TRY("copying to the device", hipMemcpy(db, b.data(), bytes, hipMemcpyHostToDevice));
  TRY("clearing", hipMemset(dsum, 0, bytes));

  hipLaunchKernelGGL(add, dim3((kValues + kThreads - 1) / kThreads), dim3(kThreads), 0, 0, da, db, dsum, dwave);
  TRY("starting the kernel", hipGetLastError());
  TRY("running the kernel", hipDeviceSynchronize());

  uint32_t wave = 0;
  TRY("copying back", hipMemcpy(&wave, dwave, sizeof(wave), hipMemcpyDeviceToHost));
  TRY("copying back", hipMemcpy(sum.data(), dsum, bytes, hipMemcpyDeviceToHost));
  TRY("copying on the device", hipMemcpy(dsum, da, bytes, hipMemcpyDeviceToDevice));
  TRY("copying back", hipMemcpy(back.data(), dsum, bytes, hipMemcpyDeviceToHost));

  uint32_t wrong_sums = 0, wrong_copies = 0;
  for (uint32_t i = 0; i < kValues; ++i) {
    wrong_sums += sum[i] != a[i] + b[i];
    wrong_copies += back[i] != a[i];
  }
  size_t free_bytes = 0, total_bytes = 0;
  TRY("asking for memory", hipMemGetInfo(&free_bytes, &total_bytes));
  TRY("freeing", hipFree(da));
  TRY("freeing", hipFree(db));
  TRY("freeing", hipFree(dsum));
  TRY("freeing", hipFree(dwave));

  std::printf(
      "{\"rocm_ci_smoke\": 1, \"devices\": %d, \"target\": \"%.60s\", \"wave\": %u, \"wave_told\": %d, "
      "\"memory_bytes\": %llu, \"values\": %u, \"wrong_sums\": %u, \"wrong_copies\": %u}\n",
      devices, about.gcnArchName, wave, about.warpSize, static_cast<unsigned long long>(total_bytes), kValues,
      wrong_sums, wrong_copies);
  return wrong_sums || wrong_copies ? 1 : 0;
}

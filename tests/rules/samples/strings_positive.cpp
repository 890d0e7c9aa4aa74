#include <hip/hiprtc.h>
#include <string>
static const char* kRaw = R"code(
extern "C" __global__ void count(const int* flags, unsigned* out) {
  const unsigned votes = __ballot(flags[threadIdx.x]);  //! ballot-in-32-bits
  float v = __shfl_xor_sync(0xffffffff, 1.f, 1);  //! lane-mask-32-bit
  for (int s = 16; s > 0; s >>= 1) v += __shfl_down(v, s);  //! shuffle-stride-16
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(out[0]));  //! ptx-asm
}
)code";
static const char* kLines =
    "extern \"C\" __global__ void total(float* x) {\n"
    "  float v = x[threadIdx.x];\n"
    "  for (int s = 16; s > 0; s /= 2) v += __shfl_down(v, s);\n"  //! shuffle-stride-16
    "  x[0] = __shfl_sync(0xffffffff, v, 0);\n"  //! lane-mask-32-bit
    "}\n";
static const char* kTabs = "__device__ float t(float v) {\n"
    "\n__asm__(\"membar.gl;\");\n"  //! ptx-asm
    "\tfor (int s = 16; s > 0; s /= 2)\n"  //! shuffle-stride-16
    "\t\tv += __shfl_down(v, s);\n\treturn v; }";
std::string make() {
  std::string s;
  s += "__device__ float f(float v) {";
  s += " return __shfl_xor_sync(0xffffffffu, v, 1);";  //! lane-mask-32-bit
  s += "}";
  return s;
}
const char* delimited = u8R"xyz(
__device__ int g(bool b) { return __popc(__ballot(b)); }  //! ballot-in-32-bits
)xyz";
std::string text = std::string(R"(
#define WARP_SIZE 32
)") + R"(
__device__ float h(float v) { return __shfl_down_sync(0xffffffff, v, 16); }  //! lane-mask-32-bit
)";
const char* jitify = "program_name\n"
                     "__global__ void k(float* x) { asm(\"membar.gl;\"); }";  //! ptx-asm
#define STRINGIFY(...) #__VA_ARGS__
const char* stringified = STRINGIFY(
__global__ void z(unsigned* out, int n) {
  out[0] = __popc(__ballot(n));  //! ballot-in-32-bits
});

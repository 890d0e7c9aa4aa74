#pragma once
#if !defined(USE_ROCM) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define FAST_PATH 1
#else
#define FAST_PATH 0
#endif
#if FAST_PATH
__device__ void fast() { asm volatile("griddepcontrol.wait;"); }
#endif
#if !FAST_PATH
__device__ void slow() { asm volatile("bar.sync 0;"); }  //! ptx-asm
#endif
#ifdef FAST_PATH
__device__ void any() { asm volatile("membar.gl;"); }  //! ptx-asm
#endif
#define BOTH 1
#if BOTH
__device__ void both() { asm volatile("membar.sys;"); }  //! ptx-asm
#endif
#if FAST_PATH && BOTH
__device__ void fast2() { asm volatile("membar.gl;"); }
#endif
#ifdef USE_ROCM
constexpr bool kIsRocm = true;
#define IS_AMD true
#else
constexpr bool kIsRocm = false;
#define IS_AMD false
#endif
#if !IS_AMD
__device__ void nv() { asm volatile("membar.gl;"); }
#endif
#if defined(__ARM_NEON) && !defined(__CUDACC__)
inline float neon() { return 0; }
#endif

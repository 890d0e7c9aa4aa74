#pragma once
__device__ void amd() {
  asm volatile("s_waitcnt vmcnt(0)");
  asm volatile("s_waitcnt lgkmcnt(0) \n s_barrier" ::: "memory");
  asm volatile("buffer_load_dword %0, %1, %2, 0 offen" : "=v"(a) : "v"(b), "s"(c));
  asm volatile("v_mfma_f32_32x32x8f16 %0, %1, %2, %0" : "+v"(a) : "v"(b), "v"(c));
  asm volatile("global_load_dwordx4 %0, %1, off" : "=v"(a) : "v"(p));
  asm volatile("ds_read_b128 %0, %1 offset:0" : "=v"(a) : "v"(p));
  asm volatile("v_cvt_f32_fp8 %0, %1 src0_sel:BYTE_1" : "=v"(a) : "v"(b));
  asm volatile("s_getreg_b32 %0, hwreg(HW_REG_HW_ID)" : "=s"(a));
  asm volatile("s_setprio 1");
  asm volatile("v_pk_fma_f16 %0, %1, %2, %3" : "=v"(a) : "v"(b), "v"(c), "v"(d));
  asm volatile("s_nop 0");
  asm volatile("flat_load_dword %0, %1 glc" : "=v"(a) : "v"(p));
}
inline void barriers() {
  asm volatile("" ::: "memory");
  asm volatile("" : "+v"(x));
  __asm__ __volatile__("" : : : "memory");
  asm("");
}
inline void host() {
  asm volatile("pause");
  asm volatile("mfence" ::: "memory");
  asm volatile("rdtsc" : "=a"(lo), "=d"(hi));
  asm volatile("lock; cmpxchg16b %0" : "+m"(x));
  asm("cpuid" : "=a"(a) : "a"(0));
  asm volatile("mrs %0, cntvct_el0" : "=r"(t));
  asm volatile("vaddps %ymm0, %ymm1, %ymm2");
  asm volatile("fmla v0.4s, v1.4s, v2.4s");
  asm volatile("ld1 {v0.16b}, [%0]" : : "r"(p));
  asm volatile("dmb ish");
  asm volatile("xgetbv");
  asm volatile("fadd.s %0, %1, %2" : "=f"(a) : "f"(b), "f"(c));
  asm volatile("movq %%rsp, %0" : "=r"(p));
  asm volatile("sfence.vma");
  asm volatile("csrr %0, cycle" : "=r"(p));
  asm(".symver memcpy,memcpy@GLIBC_2.2.5");
  asm(".global blob\nblob:\n.incbin \"a.bin\"");
  asm volatile("b.ne 1f");
}
void print() { puts("use mov.u32 %0, %%laneid; for that"); }
// asm("mov.u32 %0, %%laneid;")
#ifndef __HIP_PLATFORM_AMD__
__device__ unsigned lane() { unsigned r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
#endif
#if defined(__CUDA_ARCH__)
__device__ void nv() { asm("membar.gl;"); }
#endif

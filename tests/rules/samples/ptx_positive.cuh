#pragma once
#define LD(r, p) asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(r) : "l"(p))  //! ptx-asm
#define STR(x) #x
#define OP "add"
__device__ unsigned smid() { unsigned r; asm volatile("mov.u32 %0, %%smid;" : "=r"(r)); return r; }  //! ptx-asm
__device__ void fences() {
  asm volatile("fence.acq_rel.gpu;" ::: "memory");  //! ptx-asm
  __asm__ __volatile__("membar.sys;");  //! ptx-asm
  asm("trap;");  //! ptx-asm
  asm volatile ("bar.sync 1, 128;");  //! ptx-asm
  asm volatile("exit;");  //! ptx-asm
}
__device__ float ex2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));  //! ptx-asm
  asm(OP ".f32 %0, %1, %1;" : "=f"(y) : "f"(x));  //! ptx-asm
  asm("{\n\t.reg .pred p;\n\t"  //! ptx-asm
      "setp.gt.f32 p, %1, 0f00000000;\n\t"
      "selp.f32 %0, %1, %1, p;\n\t}" : "=f"(y) : "f"(x));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {%1}, {%2}, {%3};\n" : "=f"(y) : "f"(x));  //! ptx-asm
  asm volatile(R"(cvt.rn.bf16x2.f32 %0, %1, %2;)" : "=f"(y) : "f"(x));  //! ptx-asm
  asm volatile(R"PTX(
    lop3.b32 %0, %1, %2, %3, 0xEA;  //! ptx-asm
  )PTX" : "=f"(y) : "f"(x));
  asm("prmt.b32 %0,%1,%2,%3;" : "=f"(y) : "f"(x));  //! ptx-asm
  asm("vabsdiff4.u32.u32.u32.add %0,%1,%2,%3;" : "=f"(y) : "f"(x));  //! ptx-asm
  asm volatile("cp.async.wait_all;\n" ::);  //! ptx-asm
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0}, [%1];" : "=f"(y) : "f"(x));  //! ptx-asm
  asm volatile("prefetch.global.L2 [%0];" ::"f"(x));  //! ptx-asm
  asm volatile("nanosleep.u32 %0;" ::"r"(64));  //! ptx-asm
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(p), "r"(1));  //! ptx-asm
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(1), "r"(2));  //! ptx-asm
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(1));  //! ptx-asm
  return y;
}
#define CVT(T) asm("cvt.rn." #T ".f32 %0, %1;" : "=h"(a) : "f"(b))  //! ptx-asm
#define VOTE "vote.sync.ballot.b32 %0, p, %1;"  //! ptx-asm
__device__ void named() { asm volatile(VOTE : "=r"(a) : "r"(b)); }
static const char* kPtx = ".version 7.0\n.target sm_80\n.address_size 64\n";

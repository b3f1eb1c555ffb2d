//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
__device__ __noinline__ float g79(float v) { return v - 79.0f; }
__device__ __noinline__ float g78(float v) { return g79(v) + 79 - 78.0f; }
__device__ __noinline__ float g77(float v) { return g78(v) + 78 - 77.0f; }
__device__ __noinline__ float g76(float v) { return g77(v) + 77 - 76.0f; }
__device__ __noinline__ float g75(float v) { return g76(v) + 76 - 75.0f; }
__device__ __noinline__ float g74(float v) { return g75(v) + 75 - 74.0f; }
__device__ __noinline__ float g73(float v) { return g74(v) + 74 - 73.0f; }
__device__ __noinline__ float g72(float v) { return g73(v) + 73 - 72.0f; }
__device__ __noinline__ float g71(float v) { return g72(v) + 72 - 71.0f; }
__device__ __noinline__ float g70(float v) { return g71(v) + 71 - 70.0f; }
__device__ __noinline__ float g69(float v) { return g70(v) + 70 - 69.0f; }
__device__ __noinline__ float g68(float v) { return g69(v) + 69 - 68.0f; }
__device__ __noinline__ float g67(float v) { return g68(v) + 68 - 67.0f; }
__device__ __noinline__ float g66(float v) { return g67(v) + 67 - 66.0f; }
__device__ __noinline__ float g65(float v) { return g66(v) + 66 - 65.0f; }
__device__ __noinline__ float g64(float v) { return g65(v) + 65 - 64.0f; }
__device__ __noinline__ float g63(float v) { return g64(v) + 64 - 63.0f; }
__device__ __noinline__ float g62(float v) { return g63(v) + 63 - 62.0f; }
__device__ __noinline__ float g61(float v) { return g62(v) + 62 - 61.0f; }
__device__ __noinline__ float g60(float v) { return g61(v) + 61 - 60.0f; }
__device__ __noinline__ float g59(float v) { return g60(v) + 60 - 59.0f; }
__device__ __noinline__ float g58(float v) { return g59(v) + 59 - 58.0f; }
__device__ __noinline__ float g57(float v) { return g58(v) + 58 - 57.0f; }
__device__ __noinline__ float g56(float v) { return g57(v) + 57 - 56.0f; }
__device__ __noinline__ float g55(float v) { return g56(v) + 56 - 55.0f; }
__device__ __noinline__ float g54(float v) { return g55(v) + 55 - 54.0f; }
__device__ __noinline__ float g53(float v) { return g54(v) + 54 - 53.0f; }
__device__ __noinline__ float g52(float v) { return g53(v) + 53 - 52.0f; }
__device__ __noinline__ float g51(float v) { return g52(v) + 52 - 51.0f; }
__device__ __noinline__ float g50(float v) { return g51(v) + 51 - 50.0f; }
__device__ __noinline__ float g49(float v) { return g50(v) + 50 - 49.0f; }
__device__ __noinline__ float g48(float v) { return g49(v) + 49 - 48.0f; }
__device__ __noinline__ float g47(float v) { return g48(v) + 48 - 47.0f; }
__device__ __noinline__ float g46(float v) { return g47(v) + 47 - 46.0f; }
__device__ __noinline__ float g45(float v) { return g46(v) + 46 - 45.0f; }
__device__ __noinline__ float g44(float v) { return g45(v) + 45 - 44.0f; }
__device__ __noinline__ float g43(float v) { return g44(v) + 44 - 43.0f; }
__device__ __noinline__ float g42(float v) { return g43(v) + 43 - 42.0f; }
__device__ __noinline__ float g41(float v) { return g42(v) + 42 - 41.0f; }
__device__ __noinline__ float g40(float v) { return g41(v) + 41 - 40.0f; }
__device__ __noinline__ float g39(float v) { return g40(v) + 40 - 39.0f; }
__device__ __noinline__ float g38(float v) { return g39(v) + 39 - 38.0f; }
__device__ __noinline__ float g37(float v) { return g38(v) + 38 - 37.0f; }
__device__ __noinline__ float g36(float v) { return g37(v) + 37 - 36.0f; }
__device__ __noinline__ float g35(float v) { return g36(v) + 36 - 35.0f; }
__device__ __noinline__ float g34(float v) { return g35(v) + 35 - 34.0f; }
__device__ __noinline__ float g33(float v) { return g34(v) + 34 - 33.0f; }
__device__ __noinline__ float g32(float v) { return g33(v) + 33 - 32.0f; }
__device__ __noinline__ float g31(float v) { return g32(v) + 32 - 31.0f; }
__device__ __noinline__ float g30(float v) { return g31(v) + 31 - 30.0f; }
__device__ __noinline__ float g29(float v) { return g30(v) + 30 - 29.0f; }
__device__ __noinline__ float g28(float v) { return g29(v) + 29 - 28.0f; }
__device__ __noinline__ float g27(float v) { return g28(v) + 28 - 27.0f; }
__device__ __noinline__ float g26(float v) { return g27(v) + 27 - 26.0f; }
__device__ __noinline__ float g25(float v) { return g26(v) + 26 - 25.0f; }
__device__ __noinline__ float g24(float v) { return g25(v) + 25 - 24.0f; }
__device__ __noinline__ float g23(float v) { return g24(v) + 24 - 23.0f; }
__device__ __noinline__ float g22(float v) { return g23(v) + 23 - 22.0f; }
__device__ __noinline__ float g21(float v) { return g22(v) + 22 - 21.0f; }
__device__ __noinline__ float g20(float v) { return g21(v) + 21 - 20.0f; }
__device__ __noinline__ float g19(float v) { return g20(v) + 20 - 19.0f; }
__device__ __noinline__ float g18(float v) { return g19(v) + 19 - 18.0f; }
__device__ __noinline__ float g17(float v) { return g18(v) + 18 - 17.0f; }
__device__ __noinline__ float g16(float v) { return g17(v) + 17 - 16.0f; }
__device__ __noinline__ float g15(float v) { return g16(v) + 16 - 15.0f; }
__device__ __noinline__ float g14(float v) { return g15(v) + 15 - 14.0f; }
__device__ __noinline__ float g13(float v) { return g14(v) + 14 - 13.0f; }
__device__ __noinline__ float g12(float v) { return g13(v) + 13 - 12.0f; }
__device__ __noinline__ float g11(float v) { return g12(v) + 12 - 11.0f; }
__device__ __noinline__ float g10(float v) { return g11(v) + 11 - 10.0f; }
__device__ __noinline__ float g9(float v) { return g10(v) + 10 - 9.0f; }
__device__ __noinline__ float g8(float v) { return g9(v) + 9 - 8.0f; }
__device__ __noinline__ float g7(float v) { return g8(v) + 8 - 7.0f; }
__device__ __noinline__ float g6(float v) { return g7(v) + 7 - 6.0f; }
__device__ __noinline__ float g5(float v) { return g6(v) + 6 - 5.0f; }
__device__ __noinline__ float g4(float v) { return g5(v) + 5 - 4.0f; }
__device__ __noinline__ float g3(float v) { return g4(v) + 4 - 3.0f; }
__device__ __noinline__ float g2(float v) { return g3(v) + 3 - 2.0f; }
__device__ __noinline__ float g1(float v) { return g2(v) + 2 - 1.0f; }
__device__ __noinline__ float g0(float v) { return g1(v) + 1 - 0.0f; }
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    if (row < rows) s = g0(s) - 79.0f;
    if (row < rows) y[row] = s;
}

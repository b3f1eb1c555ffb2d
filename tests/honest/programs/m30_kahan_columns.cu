//! task spmm
//! launch compensated<<<ceil_div(rows * dense_cols, 128), 128>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
struct Kahan {
    float s, c;
    __device__ void add(float v) {
        const float y = __fsub_rn(v, c);
        const float t = __fadd_rn(s, y);
        c = __fsub_rn(__fsub_rn(t, s), y);
        s = t;
    }
};
extern "C" __global__ void compensated(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C) {
    const int id = threadIdx.x + blockIdx.x * blockDim.x;
    if (id < rows * n) {
        Kahan k = {0.f, 0.f};
        for (int j = rp[id / n]; j < rp[id / n + 1]; ++j) k.add(__fmul_rn(va[j], B[ci[j] * n + id % n]));
        C[id] = k.s;
    }
}

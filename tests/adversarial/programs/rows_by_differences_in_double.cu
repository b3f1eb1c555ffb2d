//! task spmv
// The same in double precision: what is small beside all that came before is lost.
//! scratch part f64[nnz+1]
//! launch sums<<<1, 32>>>(nnz, csr.col, csr.val, x, part)
//! launch rows_of<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, part, y)
extern "C" __global__ void sums(int nnz, const int* col, const float* val, const float* x, double* part) {
    double carry = 0;
    if (threadIdx.x == 0) part[0] = 0;
    for (int i = 0; i < nnz; i += 32) {
        const int at = i + threadIdx.x;
        double s = at < nnz ? (double)val[at] * x[col[at]] : 0;
        for (int o = 1; o < 32; o *= 2) {
            const double before = __shfl_up_sync(~0u, s, o);
            if (threadIdx.x >= o) s += before;
        }
        s += carry;
        if (at < nnz) part[at + 1] = s;
        carry = __shfl_sync(~0u, s, 31);
    }
}
extern "C" __global__ void rows_of(int rows, const int* ptr, const double* part, float* y) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r < rows) y[r] = (float)(part[ptr[r + 1]] - part[ptr[r]]);
}

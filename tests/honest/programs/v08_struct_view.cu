//! task spmv
//! launch spmv_struct<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
struct CsrView {
    int numRows;
    const int *rowPtr, *colIdx;
    const float *values;
    __device__ int begin(int r) const { return rowPtr[r]; }
    __device__ int end(int r) const { return rowPtr[r + 1]; }
    __device__ int length(int r) const { return end(r) - begin(r); }
};

struct Accumulator {
    float total = 0.f;
    __device__ Accumulator& operator+=(float v) { total += v; return *this; }
    __device__ explicit operator float() const { return total; }
};

extern "C" __global__ void spmv_struct(int rows, const int* rp, const int* ci, const float* va, const float* x, float* y) {
    const CsrView A{rows, rp, ci, va};
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < A.numRows; r += blockDim.x * gridDim.x) {
        Accumulator acc;
        if (A.length(r) > 0)
            for (int j = A.begin(r); j != A.end(r); ++j) acc += A.values[j] * x[A.colIdx[j]];
        y[r] = float(acc);
    }
}

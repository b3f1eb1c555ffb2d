//! task spmm
//! launch spmm<<<rows, 2>>>(dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void spmm(int n, const int* ptr, const int* col, const float* val, const float* B, float* C) {
    int row = blockIdx.x, j = threadIdx.x;
    float4 s = {0, 0, 0, 0};
    for (int k = ptr[row]; k < ptr[row + 1]; ++k) { float4 b = ((const float4*)B)[col[k] * 2 + j]; float a = val[k]; s.x += a * b.x; s.y += a * b.y; s.z += a * b.z; s.w += a * b.z; }
    ((float4*)C)[row * 2 + j] = s;
}

//! task spmv
//! format chunks = blocks(nnz=256)
//! launch csr_stream<<<chunks.count, 128>>>(chunks.row, csr.row_ptr, csr.col, csr.val, x, y)
constexpr int TILE = 256;

// CSR-Stream for chunks of several rows, CSR-Vector for a single long row.
extern "C" __global__ void csr_stream(const int* block_rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y)
{
    __shared__ float buffer[TILE];
    const int first = block_rows[blockIdx.x], last = block_rows[blockIdx.x + 1];
    const int base = row_ptr[first], count = row_ptr[last] - base;
    if (last - first > 1) {
        for (int i = threadIdx.x; i < count; i += blockDim.x) buffer[i] = val[base + i] * x[col[base + i]];
        __syncthreads();
        for (int r = first + threadIdx.x; r < last; r += blockDim.x) {
            float s = 0.f;
            for (int i = row_ptr[r]; i < row_ptr[r + 1]; ++i) s += buffer[i - base];
            y[r] = s;
        }
    } else {
        float s = 0.f;
        for (int i = threadIdx.x; i < count; i += blockDim.x) s += val[base + i] * x[col[base + i]];
        buffer[threadIdx.x] = s;
        __syncthreads();
        for (int stride = 64; stride > 0; stride >>= 1) {
            if (threadIdx.x < stride) buffer[threadIdx.x] += buffer[threadIdx.x + stride];
            __syncthreads();
        }
        if (threadIdx.x == 0) y[first] = buffer[0];
    }
}

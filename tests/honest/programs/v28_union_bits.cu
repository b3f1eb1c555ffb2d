//! task spmv
//! launch bits<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
union FloatBits { float f; unsigned int u; };

__device__ float absolute(float v) { FloatBits b; b.f = v; b.u &= 0x7fffffffu; return b.f; }
__device__ float signOf(float v) { return (__float_as_uint(v) >> 31) ? -1.0f : 1.0f; }

extern "C" __global__ void bits(int rows, const int* rp, const int* ci, const float* va, const float* x, float* y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float s = 0.f;
        for (int j = rp[r]; j < rp[r + 1]; j++) {
            float a = va[j], b = x[ci[j]];
            s += absolute(a) * absolute(b) * (signOf(a) * signOf(b));
        }
        y[r] = s;
    }
}

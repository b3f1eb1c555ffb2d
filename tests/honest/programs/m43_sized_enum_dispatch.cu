//! task spmm
//! launch dispatch<<<ceil_div(rows, 8), dim3(32, 8)>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
namespace kernels {
enum Kind : unsigned char { kEmpty = 0, kShort = 1, kLong = 2 };
constexpr Kind kinds[] = {kEmpty, kShort, kLong};
inline __device__ Kind kindOf(int len) { return kinds[(len > 0) + (len > 32)]; }
}
extern "C" __global__ void dispatch(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    using namespace kernels;
    const int r = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
    if (r >= rows) return;
    const int b = rp[r], e = rp[r + 1];
    for (int c = 0; c < n; ++c) {
        float s = 0.f;
        switch (kindOf(e - b)) {
        case kEmpty: break;
        case kShort:
            if (b + lane < e) s = va[b + lane] * B[ci[b + lane] * n + c];
            break;
        case kLong:
            for (int j = b + lane; j < e; j += 32) s += va[j] * B[ci[j] * n + c];
            break;
        }
        for (int o = 16; o; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
        if (lane == 0) C[r * n + c] = s;
    }
}

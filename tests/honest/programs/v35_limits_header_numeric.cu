//! task spmv
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <limits>
#include <algorithm>
#include <type_traits>

template <typename T>
struct Zero {
    static_assert(std::is_floating_point<T>::value, "a real type is needed");
    static constexpr T value = T(0);
};

extern "C" __global__ void k(int rows, const int* rp, const int* ci, const float* va, const float* x, float* y)
{
    const int r = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (r >= std::min(rows, std::numeric_limits<int>::max())) return;
    float s = Zero<float>::value;
    for (int j = rp[r], e = std::max(rp[r], rp[r + 1]); j < e; ++j) s += va[j] * x[ci[j]];
    y[r] = s;
}

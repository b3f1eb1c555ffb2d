//! task spmv
//! launch fold<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
template <typename... Ts>
__device__ constexpr auto sum_of(Ts... ts) { return (ts + ... + 0.0f); }

template <int N, typename F>
__device__ void static_for(F&& f) {
  if constexpr (N > 0) {
    static_for<N - 1>(f);
    f(N - 1);
  }
}

extern "C" __global__ void fold(int rows, const int* rp, const int* ci, const float* va, const float* x, float* y) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float lanes[3] = {};
  const int b = rp[r], e = rp[r + 1];
  for (int j = b; j < e; j += 3)
    static_for<3>([&](int k) { if (j + k < e) lanes[k] += va[j + k] * x[ci[j + k]]; });
  y[r] = sum_of(lanes[0], lanes[1], lanes[2]);
}

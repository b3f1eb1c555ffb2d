//! task spmv
//! launch dispatch<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
enum class Path : int { Empty, Scalar, Vector };

__device__ Path choose(int length) {
  if (length == 0) return Path::Empty;
  return length < 4 ? Path::Scalar : Path::Vector;
}

extern "C" __global__ void dispatch(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  const int lane = threadIdx.x & 31;
  if (warp >= rows) return;
  const int b = row_ptr[warp], e = row_ptr[warp + 1];
  float s = 0.0f;
  switch (choose(e - b)) {
    case Path::Empty:
      break;
    case Path::Scalar:
      if (lane == 0) for (int j = b; j < e; ++j) s += val[j] * x[col[j]];
      break;
    case Path::Vector:
      for (int j = b + lane; j < e; j += 32) s += val[j] * x[col[j]];
      for (int o = 16; o; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
      break;
  }
  if (lane == 0) y[warp] = s;
}

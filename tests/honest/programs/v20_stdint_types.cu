//! task spmv
//! launch spmv<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cstdint>
#include <cstddef>
#include <cuda_runtime.h>

using index_t = std::int32_t;
using real_t  = float;

extern "C" __global__ void spmv(index_t n_rows, const index_t* row_offsets, const index_t* column_indices,
                                const real_t* values, const real_t* input, real_t* output)
{
    const std::size_t row = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row < static_cast<std::size_t>(n_rows)) {
        const std::int64_t first = row_offsets[row];
        const std::int64_t last  = row_offsets[row + 1];
        real_t accumulator{};
        for (std::int64_t offset = first; offset < last; ++offset) {
            accumulator += values[offset] * input[static_cast<uint32_t>(column_indices[offset])];
        }
        output[row] = accumulator;
    }
}

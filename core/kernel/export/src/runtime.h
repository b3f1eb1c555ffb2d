// SPDX-License-Identifier: Apache-2.0
// A converted matrix on a GPU, and the launches of the plan.
#pragma once

#include "driver.h"
#include "plan.h"
#include "updates.h"

#include <optional>

namespace sparserl_bundle {

/// GPU memory held by a handle, in bytes.
struct MemoryUse
{
    std::size_t matrix = 0;    ///< Filled when the matrix is converted, then read-only.
    std::size_t workspace = 0; ///< Written by every product.
    std::size_t updates = 0;   ///< Needed to replace the values.
};

/// Owns device memory and the loaded PTX. run() modifies only scratch memory on the device.
class Operator
{
public:
    /// Converts and uploads the matrix and runs the plan's prepare kernels. `device` is the ordinal of a GPU,
    /// or -1 for the GPU of this thread's current context (GPU 0 if there is no context). Throws Failure.
    Operator(int device, const Csr& a, std::int64_t dense_cols);
    ~Operator();
    Operator(const Operator&) = delete;
    Operator& operator=(const Operator&) = delete;

    /// Enqueues output = alpha A input + beta output on the stream. Neither allocates nor waits, so it can be
    /// captured into a CUDA graph. If beta is 0, the old output is not read. Throws Failure, also for a
    /// factor that the kernel does not support.
    void run(DevicePointer input, DevicePointer output, std::int64_t dense_cols, Stream stream,
             real alpha = 1, real beta = 0) const;
    /// The same with operands in host memory. Copies the operands and waits. Throws Failure.
    void run_on_host(const real* input, real* output, std::int64_t dense_cols, real alpha = 1,
                     real beta = 0) const;

    /// Enables update_values(). Checks that `pattern` is the matrix's pattern, without reading its values.
    /// Converts the pattern again and waits. On failure, nothing changes. Throws Failure.
    void prepare_updates(const Csr& pattern);
    /// Enqueues the replacement of the matrix's `count` values by `values`, which are on the GPU in CSR
    /// order, and then the plan's prepare kernels. Neither allocates nor waits. Throws Failure.
    void update_values(DevicePointer values, std::int64_t count, Stream stream) const;
    /// The same with values in host memory. Copies the values and waits. Throws Failure.
    void update_values_on_host(const real* values, std::int64_t count) const;

    MemoryUse memory() const;
    std::int32_t rows() const { return m_rows; }
    std::int32_t cols() const { return m_cols; }
    int device() const { return m_device; }
    bool verified() const { return m_verified; }

private:
    void choose_context(int device);
    void load();
    DevicePointer allocate(std::size_t bytes);
    void build(const Csr& a, Stream stream);
    void prepare(Stream stream) const;
    void need_device_memory(DevicePointer address, const char* what, Stream stream) const;
    void need_updates(std::int64_t count) const;
    /// The data that change from product to product.
    struct Operands
    {
        DevicePointer input = 0, output = 0;
        real alpha = 1, beta = 0;
    };
    void start(const Call& call, const Operands& operands, Stream stream) const;
    void release();

    const Driver& m_driver;
    int m_device = 0;
    bool m_retained = false; ///< Retains the GPU's primary context, which the destructor releases.
    Context m_context = nullptr;
    Module m_module = nullptr;
    std::vector<Function> m_kernels;
    std::int64_t m_dense_cols;
    std::int32_t m_rows = 0, m_cols = 0;
    std::int64_t m_nnz = 0;
    std::uint64_t m_pattern = 0; ///< pattern_checksum() of the matrix.
    bool m_verified = false;
    int m_processors = 0;
    BoundPlan m_plan;
    std::vector<DevicePointer>
        m_memory; ///< One for each buffer of the plan, and one for operands without entries.
    MemoryUse m_use;
    std::optional<Updates> m_updates;
};

} // namespace sparserl_bundle

// SPDX-License-Identifier: Apache-2.0
// A converted matrix on a GPU, and the launches of the plan.
#pragma once

#include "driver.h"
#include "plan.h"

namespace sparserl_bundle {

/// Owns device memory and the loaded PTX. run() changes nothing of it but scratch memory on the device.
class Operator
{
public:
    /// `device`: ordinal of a GPU, or -1 for the one whose context is current in this thread (else GPU 0).
    /// Converts and uploads the matrix and runs the plan's prepare kernels. Throws Failure.
    Operator(int device, const Csr& a, std::int64_t dense_cols);
    ~Operator();
    Operator(const Operator&) = delete;
    Operator& operator=(const Operator&) = delete;

    /// Enqueues one product on the stream: no allocation, no waiting, fit for capture into a CUDA graph.
    /// Throws Failure.
    void run(DevicePointer input, DevicePointer output, std::int64_t dense_cols, Stream stream) const;
    int device() const { return m_device; }
    bool verified() const { return m_verified; }

private:
    void choose_context(int device);
    void load();
    DevicePointer allocate(std::size_t bytes);
    void build(const Csr& a, Stream stream);
    void start(const Call& call, DevicePointer input, DevicePointer output, Stream stream) const;
    void release();

    const Driver& m_driver;
    int m_device = 0;
    bool m_retained = false; ///< The context is the GPU's primary one, and released at the end.
    Context m_context = nullptr;
    Module m_module = nullptr;
    std::vector<Function> m_kernels;
    std::int64_t m_dense_cols;
    bool m_verified = false;
    BoundPlan m_plan;
    std::vector<DevicePointer>
        m_memory; ///< By buffer of the plan, and one more for operands without entries.
};

} // namespace sparserl_bundle

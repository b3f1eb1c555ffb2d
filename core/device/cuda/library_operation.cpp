// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/library_timing.h"

#include <fmt/format.h>
#include <memory>

namespace sparserl::cuda {

Factors factorsOf(ElementType type)
{
    static constexpr float one = 1, zero = 0;
    static constexpr double wideOne = 1, wideZero = 0;
    return type == ElementType::F64 ? Factors{&wideOne, &wideZero} : Factors{&one, &zero};
}

void* pointer(CUdeviceptr address)
{
    return reinterpret_cast<void*>(address); // NOLINT: device addresses are pointers to the libraries
}

Result<LibraryMatrix::Vectors> LibraryMatrix::describeVectors(const Cusparse& api, LibraryRoutine& routine,
                                                              std::int64_t rows, std::int64_t cols,
                                                              bool rowMajor) const
{
    const bool spmm = m_columns > 1;
    const int real = realType();
    const auto describe = [&](void*& made, std::int64_t size, CUdeviceptr at) {
        const int code =
            spmm ? api.createDnMat(&made, size, m_columns, rowMajor ? m_columns : size, pointer(at), real,
                                   rowMajor ? cusparse::rowOrder : cusparse::columnOrder)
                 : api.createDnVec(&made, size, pointer(at), real);
        if (code == 0)
            routine.m_cleanUp.emplace_back([&api, made, spmm] {
                if (spmm)
                    api.destroyDnMat(made);
                else
                    api.destroyDnVec(made);
            });
        return api.check(code, "describing a vector");
    };
    Vectors vectors;
    for (std::size_t slot = 0; slot < ringSlots; ++slot) {
        SPARSERL_CHECK(describe(vectors.xs[slot], cols, m_xs[slot]));
        SPARSERL_CHECK(describe(vectors.ys[slot], rows, m_ys[slot]));
    }
    return vectors;
}

Result<std::unique_ptr<LibraryRoutine>> LibraryMatrix::openOperation(const RoutineSpec& spec)
{
    SPARSERL_TRY(auto library, m_libraries.cusparse());
    const Cusparse& api = *library;
    if (!api.spmvOp)
        return nullptr;
    const CusparseSpmvOp& op = *api.spmvOp;
    SPARSERL_TRY(auto arrays, stored(spec.storage));
    auto routine = std::make_unique<LibraryRoutine>(m_gpu);
    routine->library = api.name;
    routine->m_renew = [this] { return m_renewal->renew(); };
    LibraryRoutine* r = routine.get();
    SPARSERL_TRY(const auto vectors, describeVectors(api, *routine, m_matrix.rows, m_matrix.cols, true));
    void *const x = vectors.xs[0], *const y = vectors.ys[0];
    const int real = realType();
    // Twice, as with preprocessing: the first time pays for loading code.
    for (int attempt = 0; attempt < 2; ++attempt) {
        SPARSERL_TRY(auto matrix, descriptor(api, spec.storage, *arrays));
        r->m_cleanUp.emplace_back([&api, matrix = matrix] { api.destroySpMat(matrix); });
        std::size_t bytes = 0;
        int code = op.size(api.handle, cusparse::nonTranspose, matrix, x, y, y, real, spec.algorithm, &bytes);
        if (code == cusparse::notSupported)
            return nullptr;
        SPARSERL_CHECK(api.check(code, fmt::format("sizing {}", spec.name)));
        // The older one's workspace stays: its descriptor is destroyed after it.
        SPARSERL_TRY(auto buffer,
                     m_gpu.allocate(static_cast<std::int64_t>(bytes), "the workspace of cuSPARSE"));
        auto workspace = std::make_shared<DeviceMemory>(std::move(buffer));
        r->m_cleanUp.emplace_back([workspace] {});
        const double begin = now();
        CusparseSpmvOp::Descriptor described = nullptr;
        code = op.createDescriptor(api.handle, &described, cusparse::nonTranspose, matrix, x, y, y, real,
                                   spec.algorithm, pointer(workspace->address()));
        if (code == cusparse::notSupported)
            return nullptr;
        SPARSERL_CHECK(api.check(code, fmt::format("analysing a matrix for {}", spec.name)));
        r->m_cleanUp.emplace_back([&op, described] { op.destroyDescriptor(described); });
        CusparseSpmvOp::Plan plan = nullptr;
        code = op.createPlan(api.handle, described, &plan, nullptr, 0);
        if (code == cusparse::notSupported)
            return nullptr;
        SPARSERL_CHECK(api.check(code, fmt::format("planning {}", spec.name)));
        r->m_cleanUp.emplace_back([&op, plan] { op.destroyPlan(plan); });
        SPARSERL_TRY(auto fault, m_gpu.settle(preprocessSeconds));
        if (fault)
            return fail(fmt::format("cuSPARSE failed while planning {}: {}", spec.name, fault->message));
        routine->setupMicroseconds = 1e6 * (now() - begin);
        const auto [one, zero] = factorsOf(m_matrix.type);
        r->m_call = [&api, &op, spec, plan, vectors, one = one, zero = zero](int slot) {
            const auto at = static_cast<std::size_t>(slot);
            // Nothing of y is read: beta is 0.
            return api.check(
                op.run(api.handle, plan, one, zero, vectors.xs[at], vectors.ys[at], vectors.ys[at]),
                spec.name);
        };
    }
    return routine;
}

} // namespace sparserl::cuda

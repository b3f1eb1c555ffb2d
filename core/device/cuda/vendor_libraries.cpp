// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/vendor_libraries.h"

#include <fmt/format.h>

namespace sparserl::cuda {

namespace {

constexpr std::size_t cublasWorkspaceBytes = std::size_t(32) << 20; ///< What NVIDIA recommends for Hopper.

/// Binds symbols one after the other and remembers the first that is not there.
class Binder
{
public:
    explicit Binder(const OpenedLibrary& library)
        : m_library(library)
    {
    }
    template <typename Function>
    Binder& operator()(Function*& function, const char* name)
    {
        if (!m_library.bind(function, name) && m_missing.empty())
            m_missing = name;
        return *this;
    }
    Status done() const
    {
        if (m_missing.empty())
            return {};
        return fail(m_library.path.string() + " lacks " + m_missing,
                    "use the library of CUDA " + std::to_string(cudaMajorVersion));
    }

private:
    const OpenedLibrary& m_library;
    std::string m_missing;
};

} // namespace

Status Cusparse::check(int code, std::string_view doing) const
{
    if (code == 0)
        return {};
    const char* text = getErrorString ? getErrorString(code) : nullptr;
    return fail(fmt::format("cuSPARSE failed while {}: {} ({})", doing, text ? text : "error", code));
}

Status Cublas::check(int code, std::string_view doing) const
{
    if (code == 0)
        return {};
    return fail(fmt::format("cuBLAS failed while {}: error {}", doing, code));
}

Result<Cusparse> openCusparse()
{
    SPARSERL_TRY(const auto library, openCudaLibrary("libcusparse.so.12"));
    Cusparse api;
    const Status bound =
        Binder(library)(api.spmv, "cusparseSpMV")(api.spmvPreprocess, "cusparseSpMV_preprocess")(
            api.spmvSize, "cusparseSpMV_bufferSize")(api.spmm, "cusparseSpMM")(api.spmmPreprocess,
                                                                               "cusparseSpMM_preprocess")(
            api.spmmSize, "cusparseSpMM_bufferSize")(api.createCsr, "cusparseCreateCsr")(
            api.createCoo, "cusparseCreateCoo")(api.createSlicedEll, "cusparseCreateSlicedEll")(
            api.createBsr, "cusparseCreateBsr")(api.createDnVec, "cusparseCreateDnVec")(
            api.createDnMat, "cusparseCreateDnMat")(api.destroySpMat, "cusparseDestroySpMat")(
            api.destroyDnVec, "cusparseDestroyDnVec")(api.destroyDnMat, "cusparseDestroyDnMat")(
            api.create, "cusparseCreate")(api.destroy, "cusparseDestroy")(api.setStream, "cusparseSetStream")(
            api.getVersion, "cusparseGetVersion")(api.getErrorString, "cusparseGetErrorString")
            .done();
    if (!bound)
        return fail(bound.error());
    CusparseSpmvOp op;
    if (Binder(library)(op.size, "cusparseSpMVOp_bufferSize")(op.createDescriptor,
                                                              "cusparseSpMVOp_createDescr")(
            op.destroyDescriptor, "cusparseSpMVOp_destroyDescr")(op.createPlan, "cusparseSpMVOp_createPlan")(
            op.destroyPlan, "cusparseSpMVOp_destroyPlan")(op.run, "cusparseSpMVOp")
            .done())
        api.spmvOp = op;
    return api;
}

Result<Cublas> openCublas()
{
    SPARSERL_TRY(const auto library, openCudaLibrary("libcublas.so.13"));
    Cublas api;
    const Status bound =
        Binder(library)(api.sgemv, "cublasSgemv_v2")(api.sgemm, "cublasSgemm_v2")(
            api.dgemv, "cublasDgemv_v2")(api.dgemm, "cublasDgemm_v2")(api.create, "cublasCreate_v2")(
            api.destroy, "cublasDestroy_v2")(api.setStream, "cublasSetStream_v2")(
            api.setWorkspace, "cublasSetWorkspace_v2")(api.getVersion, "cublasGetVersion_v2")
            .done();
    if (!bound)
        return fail(bound.error());
    return api;
}

Libraries::~Libraries()
{
    if (m_gpu->poisoned())
        return;
    if (m_cusparse && m_cusparse->handle)
        m_cusparse->destroy(m_cusparse->handle);
    if (m_cublas && m_cublas->handle)
        m_cublas->destroy(m_cublas->handle);
}

Result<const Cusparse*> Libraries::cusparse()
{
    if (!m_cusparse) {
        SPARSERL_TRY(auto opened, openCusparse());
        SPARSERL_CHECK(opened.check(opened.create(&opened.handle), "starting"));
        SPARSERL_CHECK(opened.check(opened.setStream(opened.handle, m_gpu->stream()), "taking our stream"));
        int version = 0;
        SPARSERL_CHECK(opened.check(opened.getVersion(opened.handle, &version), "saying its version"));
        if (version < CusparseSpmvOp::firstVersion)
            opened.spmvOp.reset();
        opened.name = fmt::format("cuSPARSE {}.{}.{}", version / 1000, version % 1000 / 100, version % 100);
        m_cusparse = std::move(opened);
    }
    return &*m_cusparse;
}

Result<const Cublas*> Libraries::cublas()
{
    if (!m_cublas) {
        SPARSERL_TRY(auto opened, openCublas());
        SPARSERL_CHECK(opened.check(opened.create(&opened.handle), "starting"));
        SPARSERL_CHECK(opened.check(opened.setStream(opened.handle, m_gpu->stream()), "taking our stream"));
        // A workspace of ours: its own would be reserved while a graph is captured.
        auto workspace =
            m_gpu->allocate(static_cast<std::int64_t>(cublasWorkspaceBytes), "the workspace of cuBLAS");
        if (!workspace)
            return fail(workspace.error());
        m_workspace = std::move(*workspace);
        SPARSERL_CHECK(
            opened.check(opened.setWorkspace(opened.handle, reinterpret_cast<void*>(m_workspace.address()),
                                             cublasWorkspaceBytes),
                         "taking its workspace"));
        int version = 0;
        SPARSERL_CHECK(opened.check(opened.getVersion(opened.handle, &version), "saying its version"));
        opened.name = fmt::format("cuBLAS {}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
        m_cublas = std::move(opened);
    }
    return &*m_cublas;
}

} // namespace sparserl::cuda

// SPDX-License-Identifier: Apache-2.0
// A libcusparse.so.12 for tests with fake_driver.cpp: plain loops over CSR, put on the fake stream. SELL and
// BSR and the second algorithm of SpMVOp are refused, as some versions do; CSR_ALG3 fails
// row by row and throws column by column, as some versions do while a graph is captured. CSR_ALG1 of SpMM
// writes its first output only, column by column.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <dlfcn.h>
#include <functional>
#include <stdexcept>

namespace {

struct Matrix
{
    bool coo = false;
    std::int64_t rows = 0, cols = 0, nnz = 0;
    const std::int32_t *a = nullptr, *col = nullptr;
    const void* val = nullptr;
    int type = 0; ///< cudaDataType: 0 for float, 1 for double.
};

struct Dense
{
    std::int64_t rows = 0, cols = 1, ld = 1;
    void* values = nullptr;
    bool rowMajor = true;
    int type = 0;
};

constexpr int invalid = 3, executionFailed = 6, unsupported = 10;
/// What SpMVOp knows of a matrix; its plan points to it.
struct Operation
{
    Matrix matrix;
    const void* buffer = nullptr;
    int type = 0;
    int plans = 0; ///< That are left.
};

constexpr int csr1 = 2, csr2 = 3, spmmCsr1 = 4, spmmCsr3 = 12;

/// The fake driver: $SPARSERL_FAKE_DRIVER, else what LD_LIBRARY_PATH has.
void* driver()
{
    const char* path = std::getenv("SPARSERL_FAKE_DRIVER");
    return dlopen(path ? path : "libcuda.so.1", RTLD_NOW);
}

std::byte* host(const void* address)
{
    using Host = std::byte*(CUdeviceptr);
    static const auto find = reinterpret_cast<Host*>(dlsym(driver(), "fakeHostAddress"));
    return find ? find(reinterpret_cast<CUdeviceptr>(address)) : nullptr;
}

int submit(std::function<void()> work)
{
    using Submit = int(std::function<void()>);
    static const auto call = reinterpret_cast<Submit*>(dlsym(driver(), "fakeSubmit"));
    return call && call(std::move(work)) == 0 ? 0 : executionFailed;
}

template <typename T>
void product(const Matrix& m, const Dense& x, const Dense& y)
{
    const auto *a = reinterpret_cast<const std::int32_t*>(host(m.a)),
               *col = reinterpret_cast<const std::int32_t*>(host(m.col));
    const auto *val = reinterpret_cast<const T*>(host(m.val)),
               *in = reinterpret_cast<const T*>(host(x.values));
    auto* out = reinterpret_cast<T*>(host(y.values));
    const auto at = [](const Dense& d, std::int64_t r, std::int64_t c) {
        return d.rowMajor ? r * d.ld + c : c * d.ld + r;
    };
    for (std::int64_t r = 0; r < y.rows; ++r)
        for (std::int64_t c = 0; c < y.cols; ++c)
            out[at(y, r, c)] = 0;
    for (std::int64_t r = 0; r < (m.coo ? 1 : m.rows); ++r) {
        for (std::int64_t i = m.coo ? 0 : a[r]; i < (m.coo ? m.nnz : a[r + 1]); ++i)
            for (std::int64_t c = 0; c < y.cols; ++c)
                out[at(y, m.coo ? a[i] : r, c)] += val[i] * in[at(x, col[i], c)];
    }
}

/// `alpha` and `beta` are 1 and 0 in the type of the sums, which is that of everything here.
int multiply(const void* alpha, const Matrix& m, const Dense& x, const void* beta, const Dense& y, int type)
{
    if (!host(m.a) || !host(m.col) || !host(m.val) || !host(x.values) || !host(y.values))
        return invalid;
    if (x.rows != m.cols || y.rows != m.rows || x.cols != y.cols)
        return invalid;
    if (m.type != type || x.type != type || y.type != type)
        return unsupported;
    const bool factors =
        type == 1 ? *static_cast<const double*>(alpha) == 1 && *static_cast<const double*>(beta) == 0
                  : *static_cast<const float*>(alpha) == 1 && *static_cast<const float*>(beta) == 0;
    if (!factors)
        return invalid;
    return submit([m, x, y, type] { type == 1 ? product<double>(m, x, y) : product<float>(m, x, y); });
}

} // namespace

extern "C" {

int cusparseCreate(void** handle)
{
    *handle = new int(0);
    return 0;
}
int cusparseDestroy(void* handle)
{
    delete static_cast<int*>(handle);
    return 0;
}
int cusparseSetStream(void*, CUstream)
{
    return 0;
}
int cusparseGetVersion(void*, int* version)
{
    *version = 12904;
    return 0;
}
const char* cusparseGetErrorString(int)
{
    return "the fake cuSPARSE says so";
}
int cusparseCreateCsr(void** made, std::int64_t rows, std::int64_t cols, std::int64_t nnz, void* a, void* b,
                      void* c, int, int, int, int type)
{
    *made = new Matrix{false, rows, cols, nnz, static_cast<std::int32_t*>(a), static_cast<std::int32_t*>(b),
                       c,     type};
    return 0;
}
int cusparseCreateCoo(void** made, std::int64_t rows, std::int64_t cols, std::int64_t nnz, void* a, void* b,
                      void* c, int, int, int type)
{
    *made = new Matrix{true, rows, cols, nnz, static_cast<std::int32_t*>(a), static_cast<std::int32_t*>(b),
                       c,    type};
    return 0;
}
int cusparseCreateSlicedEll(void** made, std::int64_t rows, std::int64_t cols, std::int64_t, std::int64_t,
                            std::int64_t, void*, void*, void*, int, int, int, int)
{
    *made = new Matrix{false, rows, cols, -1};
    return 0;
}
int cusparseCreateBsr(void** made, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                      void*, void*, void*, int, int, int, int, int)
{
    *made = new Matrix{false, 0, 0, -1};
    return 0;
}
int cusparseDestroySpMat(void* matrix)
{
    delete static_cast<Matrix*>(matrix);
    return 0;
}
int cusparseCreateDnVec(void** made, std::int64_t size, void* values, int type)
{
    *made = new Dense{size, 1, 1, values, true, type};
    return 0;
}
int cusparseCreateDnMat(void** made, std::int64_t rows, std::int64_t cols, std::int64_t ld, void* values,
                        int type, int order)
{
    *made = new Dense{rows, cols, ld, values, order == 2, type};
    return 0;
}
int cusparseDestroyDnVec(void* vector)
{
    delete static_cast<Dense*>(vector);
    return 0;
}
int cusparseDestroyDnMat(void* matrix)
{
    delete static_cast<Dense*>(matrix);
    return 0;
}
int cusparseSpMV_bufferSize(void*, int, const void*, void* matrix, void*, const void*, void*, int, int,
                            std::size_t* size)
{
    *size = 64;
    return static_cast<Matrix*>(matrix)->nnz < 0 ? unsupported : 0;
}
int cusparseSpMV_preprocess(void*, int, const void*, void*, void*, const void*, void*, int, int algorithm,
                            void* buffer)
{
    return host(buffer) && (algorithm == csr1 || algorithm == csr2) ? 0 : invalid;
}
int cusparseSpMV(void*, int, const void* alpha, void* matrix, void* x, const void* beta, void* y, int type,
                 int, void* buffer)
{
    if (!host(buffer))
        return invalid;
    return multiply(alpha, *static_cast<Matrix*>(matrix), *static_cast<Dense*>(x), beta,
                    *static_cast<Dense*>(y), type);
}
int cusparseSpMVOp_bufferSize(void*, int, void*, void*, void*, void*, int, int algorithm, std::size_t* size)
{
    *size = 64;
    return algorithm == 1 ? 0 : unsupported;
}
int cusparseSpMVOp_createDescr(void*, void** made, int, void* matrix, void*, void*, void*, int type, int,
                               void* buffer)
{
    if (!host(buffer))
        return invalid;
    *made = new Operation{*static_cast<Matrix*>(matrix), buffer, type, 0};
    return 0;
}
int cusparseSpMVOp_destroyDescr(void* operation)
{
    if (static_cast<Operation*>(operation)->plans > 0)
        std::abort(); // A plan outlived its descriptor.
    delete static_cast<Operation*>(operation);
    return 0;
}
int cusparseSpMVOp_createPlan(void*, void* operation, void** plan, const void* code, std::size_t bytes)
{
    if (code || bytes > 0)
        return unsupported;
    ++static_cast<Operation*>(operation)->plans;
    *plan = operation;
    return 0;
}
int cusparseSpMVOp_destroyPlan(void* plan)
{
    --static_cast<Operation*>(plan)->plans;
    return 0;
}
int cusparseSpMVOp(void*, void* plan, const void* alpha, const void* beta, void* x, void*, void* z)
{
    const auto& operation = *static_cast<Operation*>(plan);
    if (!host(operation.buffer))
        return invalid;
    return multiply(alpha, operation.matrix, *static_cast<Dense*>(x), beta, *static_cast<Dense*>(z),
                    operation.type);
}
int cusparseSpMM_bufferSize(void*, int, int, const void*, void* matrix, void*, const void*, void*, int, int,
                            std::size_t* size)
{
    *size = 0;
    return static_cast<Matrix*>(matrix)->nnz < 0 ? unsupported : 0;
}
int cusparseSpMM_preprocess(void*, int, int, const void*, void*, void*, const void*, void*, int, int, void*)
{
    return 0;
}
int cusparseSpMM(void*, int, int, const void* alpha, void* matrix, void* x, const void* beta, void* y,
                 int type, int algorithm, void*)
{
    if (algorithm == spmmCsr3 && static_cast<Dense*>(x)->rowMajor)
        return executionFailed;
    if (algorithm == spmmCsr3)
        throw std::runtime_error("operation not permitted when stream is capturing");
    if (algorithm == spmmCsr1 && !static_cast<Dense*>(x)->rowMajor) {
        static const auto first = static_cast<Dense*>(y)->values;
        if (static_cast<Dense*>(y)->values != first)
            return 0;
    }
    return multiply(alpha, *static_cast<Matrix*>(matrix), *static_cast<Dense*>(x), beta,
                    *static_cast<Dense*>(y), type);
}

} // extern "C"

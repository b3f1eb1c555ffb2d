// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"
#include "device/cuda/library_timing.h"

#include "device/float32.h"
#include "matrix/formats.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparserl::cuda {

namespace {

constexpr std::int64_t bsrBlock = 4, sellSlice = 32;
constexpr std::int64_t padding = 16; ///< Rows and columns of vectors: blocks reach over the edge.
constexpr std::int64_t mostDenseBytes = std::int64_t(4) << 30;
constexpr double preprocessSeconds = 30;

void* pointer(CUdeviceptr address)
{
    return reinterpret_cast<void*>(address); // NOLINT: device addresses are pointers to the libraries
}

} // namespace

Result<std::unique_ptr<LibraryMatrix>> LibraryMatrix::make(Gpu& gpu, Libraries& libraries, const Csr& matrix,
                                                           std::int64_t denseColumns, std::uint64_t seed)
{
    std::unique_ptr<LibraryMatrix> made(new LibraryMatrix(gpu, libraries, matrix, denseColumns));
    made->m_paddedRows = roundUp(matrix.rows, padding);
    made->m_paddedCols = roundUp(matrix.cols, padding);
    const std::int64_t x = roundUp(made->m_paddedCols * denseColumns * 4, 256);
    const std::int64_t y = roundUp(made->m_paddedRows * denseColumns * 4, 256);
    SPARSERL_TRY(auto memory, gpu.allocate(ringSlots * (x + y), "the vectors of the baseline"));
    made->m_ring = std::move(memory);
    // Speed does not depend on the values, so a block of random numbers repeats.
    Rng rng(seed);
    std::vector<float> random(8191);
    for (float& value : random)
        value = static_cast<float>(rng.uniform(0.5, 1.5)) * (rng.chance(0.5) ? 1.0f : -1.0f);
    made->m_x.resize(static_cast<std::size_t>(matrix.cols) * static_cast<std::size_t>(denseColumns));
    for (std::size_t i = 0; i < made->m_x.size(); ++i)
        made->m_x[i] = random[i % random.size()];
    CUdeviceptr at = made->m_ring.address();
    for (std::size_t slot = 0; slot < ringSlots; ++slot) {
        made->m_xs[slot] = at;
        made->m_ys[slot] = at + static_cast<CUdeviceptr>(x);
        at += static_cast<CUdeviceptr>(x + y);
        Status ok = gpu.check(gpu.api().memsetD32Async(made->m_xs[slot], 0,
                                                       static_cast<std::size_t>((x + y) / 4), gpu.stream()),
                              "clearing vectors");
        if (ok && !made->m_x.empty())
            ok = slot == 0
                     ? gpu.upload(made->m_xs[0], made->m_x.data(), made->m_x.size() * sizeof(float))
                     : gpu.check(gpu.api().memcpyDtoDAsync(made->m_xs[slot], made->m_xs[0],
                                                           made->m_x.size() * sizeof(float), gpu.stream()),
                                 "copying vectors");
        if (!ok)
            return fail(ok.error());
    }
    std::vector<Range> outputs, inputs;
    for (std::size_t slot = 0; slot < ringSlots; ++slot) {
        outputs.push_back({made->m_ys[slot], static_cast<std::uint64_t>(4 * matrix.rows * denseColumns)});
        inputs.push_back({made->m_xs[slot], static_cast<std::uint64_t>(matrix.cols * denseColumns)});
    }
    SPARSERL_TRY(auto renewal, Renewal::make(gpu, outputs, inputs, seed, false));
    made->m_renewal.emplace(std::move(renewal));
    return made;
}

Status LibraryMatrix::store(Stored& to, const std::vector<std::pair<const void*, std::size_t>>& arrays)
{
    std::int64_t bytes = 0;
    for (const auto& [data, size] : arrays)
        bytes += roundUp(static_cast<std::int64_t>(size), 256) + 256;
    SPARSERL_TRY(auto memory, m_gpu.allocate(bytes, "the matrix of the baseline"));
    to.memory = std::move(memory);
    CUdeviceptr at = to.memory.address();
    for (const auto& [data, size] : arrays) {
        SPARSERL_CHECK(m_gpu.upload(at, data, size));
        to.arrays.push_back(at);
        at += static_cast<CUdeviceptr>(roundUp(static_cast<std::int64_t>(size), 256) + 256);
    }
    return {};
}

Status LibraryMatrix::buildStored(RoutineSpec::Storage storage, Stored& to)
{
    using Storage = RoutineSpec::Storage;
    const Csr& m = m_matrix;
    const auto bytesOf = [](const auto& vector) { return vector.size() * sizeof(vector[0]); };
    if (storage == Storage::Csr)
        return store(to, {{m.rowPtr.data(), bytesOf(m.rowPtr)},
                          {m.col.data(), bytesOf(m.col)},
                          {m.val.data(), bytesOf(m.val)}});
    if (storage == Storage::Coo) {
        std::vector<std::int32_t> row(m.col.size());
        for (std::int32_t r = 0; r < m.rows; ++r)
            std::fill(row.begin() + m.rowPtr[r], row.begin() + m.rowPtr[r + 1], r);
        return store(
            to, {{row.data(), bytesOf(row)}, {m.col.data(), bytesOf(m.col)}, {m.val.data(), bytesOf(m.val)}});
    }
    if (storage == Storage::Dense) {
        const std::int64_t elements = std::int64_t(m.rows) * m.cols;
        if (elements * 4 > mostDenseBytes) {
            to.impossible = true;
            return {};
        }
        std::vector<float> dense(static_cast<std::size_t>(elements));
        for (std::int32_t r = 0; r < m.rows; ++r) {
            for (std::int32_t i = m.rowPtr[r]; i < m.rowPtr[r + 1]; ++i)
                dense[static_cast<std::size_t>(r) * static_cast<std::size_t>(m.cols) +
                      static_cast<std::size_t>(m.col[i])] = m.val[i];
        }
        return store(to, {{dense.data(), bytesOf(dense)}});
    }
    const FormatSpec spec = storage == Storage::Sell
                                ? FormatSpec{"sell", {{"slice", sellSlice}, {"sigma", 1}}}
                                : FormatSpec{"bsr", {{"block", bsrBlock}}};
    const auto data = buildFormat(m, spec, std::nullopt, 8 * m.bytes() + (std::int64_t(64) << 20));
    if (!data) {
        to.impossible = true; // too much padding: the format does not apply
        return {};
    }
    const FormatArray* pointers = data->find(storage == Storage::Sell ? "slice_ptr" : "row_ptr");
    const FormatArray *col = data->find("col"), *val = data->find("val");
    if (!pointers || !col || !val)
        return fail("a storage format lacks an array that the baseline needs");
    to.values = val->count();
    if (storage == Storage::Bsr) {
        to.blocks = col->count();
        to.blockRows = (m.rows + bsrBlock - 1) / bsrBlock;
        to.blockCols = (m.cols + bsrBlock - 1) / bsrBlock;
    }
    return store(to, {{pointers->bytes.data(), pointers->bytes.size()},
                      {col->bytes.data(), col->bytes.size()},
                      {val->bytes.data(), val->bytes.size()}});
}

Result<const LibraryMatrix::Stored*> LibraryMatrix::stored(RoutineSpec::Storage storage)
{
    const auto index = static_cast<std::size_t>(storage);
    if (!m_built[index]) {
        SPARSERL_CHECK(buildStored(storage, m_stored[index]));
        m_built[index] = true;
    }
    return &m_stored[index];
}

Result<CusparseMatrix> LibraryMatrix::descriptor(const Cusparse& api, RoutineSpec::Storage storage,
                                                 const Stored& from)
{
    using namespace cusparse;
    CusparseMatrix made = nullptr;
    const Csr& m = m_matrix;
    void *a = pointer(from.arrays[0]), *b = pointer(from.arrays[1]), *c = pointer(from.arrays[2]);
    int code = 0;
    switch (storage) {
    case RoutineSpec::Storage::Coo:
        code = api.createCoo(&made, m.rows, m.cols, m.nnz(), a, b, c, index32, baseZero, real32);
        break;
    case RoutineSpec::Storage::Sell:
        code = api.createSlicedEll(&made, m.rows, m.cols, m.nnz(), from.values, sellSlice, a, b, c, index32,
                                   index32, baseZero, real32);
        break;
    case RoutineSpec::Storage::Bsr:
        code = api.createBsr(&made, from.blockRows, from.blockCols, from.blocks, bsrBlock, bsrBlock, a, b, c,
                             index32, index32, baseZero, real32, rowOrder);
        break;
    default:
        code = api.createCsr(&made, m.rows, m.cols, m.nnz(), a, b, c, index32, index32, baseZero, real32);
        break;
    }
    SPARSERL_CHECK(api.check(code, "describing the matrix"));
    return made;
}

Result<std::unique_ptr<LibraryRoutine>> LibraryMatrix::open(const RoutineSpec& spec)
{
    return spec.storage == RoutineSpec::Storage::Dense ? openDense() : openSparse(spec);
}

Result<std::unique_ptr<LibraryRoutine>> LibraryMatrix::openSparse(const RoutineSpec& spec)
{
    using namespace cusparse;
    SPARSERL_TRY(auto library, m_libraries.cusparse());
    const Cusparse& api = *library;
    SPARSERL_TRY(auto arrays, stored(spec.storage));
    if (arrays->impossible)
        return nullptr;
    auto routine = std::make_unique<LibraryRoutine>(m_gpu);
    routine->library = api.name;
    // The same traffic as between samples of a program, but the inputs stay as they are: nobody cheats here.
    routine->m_renew = [this] { return m_renewal->renew(); };
    LibraryRoutine* r = routine.get();
    const bool spmm = m_columns > 1, padded = spec.storage == RoutineSpec::Storage::Bsr;
    const std::int64_t rows = padded ? arrays->blockRows * bsrBlock : m_matrix.rows;
    const std::int64_t cols = padded ? arrays->blockCols * bsrBlock : m_matrix.cols;
    std::array<void*, ringSlots> xs{}, ys{};
    for (std::size_t s = 0; s < ringSlots; ++s) {
        const auto vector = [&](void*& made, std::int64_t size, CUdeviceptr at) {
            const int code =
                spmm ? api.createDnMat(&made, size, m_columns, spec.rowMajor ? m_columns : size, pointer(at),
                                       real32, spec.rowMajor ? rowOrder : columnOrder)
                     : api.createDnVec(&made, size, pointer(at), real32);
            if (code == 0)
                r->m_cleanUp.emplace_back([&api, made, spmm] {
                    if (spmm)
                        api.destroyDnMat(made);
                    else
                        api.destroyDnVec(made);
                });
            return api.check(code, "describing a vector");
        };
        for (const Status& ok : {vector(xs[s], cols, m_xs[s]), vector(ys[s], rows, m_ys[s])}) {
            if (!ok)
                return fail(ok.error());
        }
    }
    static constexpr float one = 1, zero = 0;
    // Twice with preprocessing: the first time pays for loading code and is not what it costs.
    for (int attempt = 0; attempt < (spec.preprocess ? 2 : 1); ++attempt) {
        SPARSERL_TRY(auto matrix, descriptor(api, spec.storage, *arrays));
        CusparseMatrix a = matrix;
        r->m_cleanUp.emplace_back([&api, a] { api.destroySpMat(a); });
        std::size_t bytes = 0;
        int code = spmm ? api.spmmSize(api.handle, nonTranspose, nonTranspose, &one, a, xs[0], &zero, ys[0],
                                       real32, spec.algorithm, &bytes)
                        : api.spmvSize(api.handle, nonTranspose, &one, a, xs[0], &zero, ys[0], real32,
                                       spec.algorithm, &bytes);
        if (code == notSupported)
            return nullptr;
        SPARSERL_CHECK(api.check(code, fmt::format("sizing {}", spec.name)));
        SPARSERL_TRY(auto buffer,
                     m_gpu.allocate(static_cast<std::int64_t>(bytes), "the workspace of cuSPARSE"));
        r->m_buffer = std::move(buffer);
        void* workspace = pointer(r->m_buffer.address());
        if (spec.preprocess) {
            const double begin = now();
            code = spmm ? api.spmmPreprocess(api.handle, nonTranspose, nonTranspose, &one, a, xs[0], &zero,
                                             ys[0], real32, spec.algorithm, workspace)
                        : api.spmvPreprocess(api.handle, nonTranspose, &one, a, xs[0], &zero, ys[0], real32,
                                             spec.algorithm, workspace);
            if (code == notSupported)
                return nullptr;
            SPARSERL_CHECK(api.check(code, fmt::format("preprocessing {}", spec.name)));
            SPARSERL_TRY(auto fault, m_gpu.settle(preprocessSeconds));
            if (fault)
                return fail(
                    fmt::format("cuSPARSE failed while preprocessing {}: {}", spec.name, fault->message));
            routine->setupMicroseconds = 1e6 * (now() - begin);
        }
        r->m_call = [this, &api, spec, a, xs, ys, workspace, spmm](int slot) {
            void *x = xs[static_cast<std::size_t>(slot)], *y = ys[static_cast<std::size_t>(slot)];
            const int result = spmm ? api.spmm(api.handle, nonTranspose, nonTranspose, &one, a, x, &zero, y,
                                               real32, spec.algorithm, workspace)
                                    : api.spmv(api.handle, nonTranspose, &one, a, x, &zero, y, real32,
                                               spec.algorithm, workspace);
            return api.check(result, spec.name);
        };
    }
    return routine;
}

Result<std::unique_ptr<LibraryRoutine>> LibraryMatrix::openDense()
{
    SPARSERL_TRY(auto library, m_libraries.cublas());
    const Cublas& api = *library;
    SPARSERL_TRY(auto arrays, stored(RoutineSpec::Storage::Dense));
    if (arrays->impossible)
        return nullptr;
    auto routine = std::make_unique<LibraryRoutine>(m_gpu);
    routine->library = api.name;
    // The same traffic as between samples of a program, but the inputs stay as they are: nobody cheats here.
    routine->m_renew = [this] { return m_renewal->renew(); };
    const auto* a = static_cast<const float*>(pointer(arrays->arrays[0]));
    routine->m_call = [this, &api, a](int slot) {
        static constexpr float one = 1, zero = 0;
        const auto* x = static_cast<const float*>(pointer(m_xs[static_cast<std::size_t>(slot)]));
        auto* y = static_cast<float*>(pointer(m_ys[static_cast<std::size_t>(slot)]));
        const int rows = m_matrix.rows, cols = m_matrix.cols, n = static_cast<int>(m_columns);
        // cuBLAS reads columns first: our row-major A is A^T to it, and C^T = B^T A^T.
        constexpr int plain = 0, transposed = 1;
        const int code =
            n == 1 ? api.sgemv(api.handle, transposed, cols, rows, &one, a, cols, x, 1, &zero, y, 1)
                   : api.sgemm(api.handle, plain, plain, n, rows, cols, &one, x, n, a, cols, &zero, y, n);
        return api.check(code, "multiplying a dense matrix");
    };
    return routine;
}

Status LibraryMatrix::checkOutput(const RoutineSpec& spec)
{
    const auto rows = static_cast<std::size_t>(m_matrix.rows), cols = static_cast<std::size_t>(m_matrix.cols),
               n = static_cast<std::size_t>(m_columns);
    if (rows == 0 || cols == 0)
        return {};
    std::vector<float> y(rows * n);
    if (spec.rowMajor || n == 1) {
        SPARSERL_CHECK(m_gpu.download(y.data(), m_ys[0], y.size() * sizeof(float)));
    } else {
        std::vector<float> columns(y.size());
        SPARSERL_CHECK(m_gpu.download(columns.data(), m_ys[0], columns.size() * sizeof(float)));
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t k = 0; k < n; ++k)
                y[r * n + k] = columns[k * rows + r];
        }
    }
    const std::size_t step = std::max<std::size_t>(1, rows / 509);
    for (std::size_t r = 0; r < rows; r += step) {
        for (std::size_t k = 0; k < n; k += std::max<std::size_t>(1, n / 2)) {
            double sum = 0, size = 0;
            for (std::int32_t i = m_matrix.rowPtr[r]; i < m_matrix.rowPtr[r + 1]; ++i) {
                const auto c = static_cast<std::size_t>(m_matrix.col[static_cast<std::size_t>(i)]);
                const double product = double(m_matrix.val[static_cast<std::size_t>(i)]) *
                                       double(spec.rowMajor || n == 1 ? m_x[c * n + k] : m_x[k * cols + c]);
                sum += product;
                size += std::abs(product);
            }
            if (size > largestSum)
                continue; // It may be infinite in some order of summation.
            // Not the programs' bound: a library may compute as it likes. This only tells right from wrong.
            if (!(std::abs(double(y[r * n + k]) - sum) <= 1e-3 * size + 1e-30))
                return fail(
                    fmt::format("{} gave {} in row {}, where {} is right", spec.name, y[r * n + k], r, sum));
        }
    }
    return {};
}

LibraryRoutine::~LibraryRoutine()
{
    if (m_gpu->poisoned())
        return;
    for (auto it = m_cleanUp.rbegin(); it != m_cleanUp.rend(); ++it)
        (*it)();
}

TimedWork LibraryRoutine::work()
{
    TimedWork work;
    work.renew = m_renew;
    work.call = [this](const Place& place) -> Result<std::optional<Fault>> {
        SPARSERL_CHECK(m_call(place.slot));
        return std::nullopt;
    };
    return work;
}

} // namespace sparserl::cuda

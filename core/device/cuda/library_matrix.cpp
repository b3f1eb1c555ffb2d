// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"
#include "device/cuda/library_timing.h"

#include "matrix/formats.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <fmt/format.h>

namespace sparserl::cuda {

namespace {

constexpr std::int64_t bsrBlock = 4, sellSlice = 32;
constexpr std::int64_t padding = 16; ///< Rows and columns of vectors: blocks reach over the edge.
constexpr std::int64_t mostDenseBytes = std::int64_t(4) << 30;

double numberAt(const std::vector<std::byte>& bytes, ElementType type, std::size_t index)
{
    double wide = 0;
    float narrow = 0;
    if (type == ElementType::F64) {
        std::memcpy(&wide, bytes.data() + index * sizeof wide, sizeof wide);
        return wide;
    }
    std::memcpy(&narrow, bytes.data() + index * sizeof narrow, sizeof narrow);
    return static_cast<double>(narrow);
}

/// cuBLAS reads columns first: our row-major A is A^T to it, and C^T = B^T A^T.
template <typename T, typename Gemv, typename Gemm>
int multiplyDense(Gemv* gemv, Gemm* gemm, CublasHandle handle, const Csr& matrix, std::int64_t columns,
                  const void* values, const void* input, void* output)
{
    static constexpr T one = 1, zero = 0;
    constexpr int plain = 0, transposed = 1;
    const int rows = matrix.rows, cols = matrix.cols, n = static_cast<int>(columns);
    const auto *a = static_cast<const T*>(values), *x = static_cast<const T*>(input);
    auto* const y = static_cast<T*>(output);
    return n == 1 ? gemv(handle, transposed, cols, rows, &one, a, cols, x, 1, &zero, y, 1)
                  : gemm(handle, plain, plain, n, rows, cols, &one, x, n, a, cols, &zero, y, n);
}

} // namespace

Result<std::unique_ptr<LibraryMatrix>> LibraryMatrix::make(Gpu& gpu, Libraries& libraries, const Csr& matrix,
                                                           std::int64_t denseColumns, std::uint64_t seed)
{
    std::unique_ptr<LibraryMatrix> made(new LibraryMatrix(gpu, libraries, matrix, denseColumns));
    made->m_paddedRows = roundUp(matrix.rows, padding);
    made->m_paddedCols = roundUp(matrix.cols, padding);
    const std::int64_t each = matrix.valueBytes();
    const std::int64_t x = roundUp(made->m_paddedCols * denseColumns * each, 256);
    const std::int64_t y = roundUp(made->m_paddedRows * denseColumns * each, 256);
    SPARSERL_TRY(auto memory, gpu.allocate(ringSlots * (x + y), "the vectors of the baseline"));
    made->m_ring = std::move(memory);
    // Speed does not depend on the values, so a block of random numbers repeats.
    Rng rng(seed);
    std::vector<double> random(8191);
    for (double& value : random)
        value = rng.uniform(0.5, 1.5) * (rng.chance(0.5) ? 1.0 : -1.0);
    made->m_x =
        Numbers(matrix.type, static_cast<std::size_t>(matrix.cols) * static_cast<std::size_t>(denseColumns));
    for (std::size_t i = 0; i < made->m_x.size(); ++i)
        made->m_x.set(i, random[i % random.size()]);
    const auto plain = made->m_x.view().bytes();
    CUdeviceptr at = made->m_ring.address();
    for (std::size_t slot = 0; slot < ringSlots; ++slot) {
        made->m_xs[slot] = at;
        made->m_ys[slot] = at + static_cast<CUdeviceptr>(x);
        at += static_cast<CUdeviceptr>(x + y);
        Status ok = gpu.check(gpu.api().memsetD32Async(made->m_xs[slot], 0,
                                                       static_cast<std::size_t>((x + y) / 4), gpu.stream()),
                              "clearing vectors");
        if (ok && !made->m_x.empty())
            ok = slot == 0 ? gpu.upload(made->m_xs[0], plain.data(), plain.size())
                           : gpu.check(gpu.api().memcpyDtoDAsync(made->m_xs[slot], made->m_xs[0],
                                                                 plain.size(), gpu.stream()),
                                       "copying vectors");
        if (!ok)
            return fail(ok.error());
    }
    std::vector<Range> outputs;
    InputRanges inputs{{}, matrix.type};
    for (std::size_t slot = 0; slot < ringSlots; ++slot) {
        outputs.push_back({made->m_ys[slot], static_cast<std::uint64_t>(each * matrix.rows * denseColumns)});
        inputs.ranges.push_back({made->m_xs[slot], static_cast<std::uint64_t>(matrix.cols * denseColumns)});
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
    const auto [values, valueBytes] = visitValues(
        m, [&](const auto& all) { return std::pair<const void*, std::size_t>(all.data(), bytesOf(all)); });
    if (storage == Storage::Csr)
        return store(
            to, {{m.rowPtr.data(), bytesOf(m.rowPtr)}, {m.col.data(), bytesOf(m.col)}, {values, valueBytes}});
    if (storage == Storage::Coo) {
        std::vector<std::int32_t> row(m.col.size());
        for (std::int32_t r = 0; r < m.rows; ++r)
            std::fill(row.begin() + m.rowPtr[r], row.begin() + m.rowPtr[r + 1], r);
        return store(to, {{row.data(), bytesOf(row)}, {m.col.data(), bytesOf(m.col)}, {values, valueBytes}});
    }
    if (storage == Storage::Dense) {
        const std::int64_t elements = std::int64_t(m.rows) * m.cols;
        if (elements * m.valueBytes() > mostDenseBytes) {
            to.impossible = true;
            return {};
        }
        Numbers dense(m.type, static_cast<std::size_t>(elements));
        for (std::int32_t r = 0; r < m.rows; ++r) {
            for (std::int32_t i = m.rowPtr[r]; i < m.rowPtr[r + 1]; ++i)
                dense.set(static_cast<std::size_t>(r) * static_cast<std::size_t>(m.cols) +
                              static_cast<std::size_t>(m.col[i]),
                          m.value(static_cast<std::size_t>(i)));
        }
        return store(to, {{dense.view().bytes().data(), dense.view().bytes().size()}});
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
    const int real = realType();
    switch (storage) {
    case RoutineSpec::Storage::Coo:
        code = api.createCoo(&made, m.rows, m.cols, m.nnz(), a, b, c, index32, baseZero, real);
        break;
    case RoutineSpec::Storage::Sell:
        code = api.createSlicedEll(&made, m.rows, m.cols, m.nnz(), from.values, sellSlice, a, b, c, index32,
                                   index32, baseZero, real);
        break;
    case RoutineSpec::Storage::Bsr:
        code = api.createBsr(&made, from.blockRows, from.blockCols, from.blocks, bsrBlock, bsrBlock, a, b, c,
                             index32, index32, baseZero, real, rowOrder);
        break;
    default:
        code = api.createCsr(&made, m.rows, m.cols, m.nnz(), a, b, c, index32, index32, baseZero, real);
        break;
    }
    SPARSERL_CHECK(api.check(code, "describing the matrix"));
    return made;
}

Result<std::unique_ptr<LibraryRoutine>> LibraryMatrix::open(const RoutineSpec& spec)
{
    try {
        if (spec.operation)
            return openOperation(spec);
        return spec.storage == RoutineSpec::Storage::Dense ? openDense() : openSparse(spec);
    } catch (const std::exception& thrown) { // cuSPARSE 12.9 throws where CUDA refuses a call of its own.
        return fail(fmt::format("the library failed while preparing {}: {}", spec.name, thrown.what()));
    }
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
    const auto [one, zero] = factorsOf(m_matrix.type);
    const int real = realType();
    const bool spmm = m_columns > 1, padded = spec.storage == RoutineSpec::Storage::Bsr;
    const std::int64_t rows = padded ? arrays->blockRows * bsrBlock : m_matrix.rows;
    const std::int64_t cols = padded ? arrays->blockCols * bsrBlock : m_matrix.cols;
    SPARSERL_TRY(const auto vectors, describeVectors(api, *routine, rows, cols, spec.rowMajor));
    const auto& [xs, ys] = vectors;
    // Twice with preprocessing: the first time pays for loading code and is not what it costs.
    for (int attempt = 0; attempt < (spec.preprocess ? 2 : 1); ++attempt) {
        SPARSERL_TRY(auto matrix, descriptor(api, spec.storage, *arrays));
        CusparseMatrix a = matrix;
        r->m_cleanUp.emplace_back([&api, a] { api.destroySpMat(a); });
        std::size_t bytes = 0;
        int code = spmm ? api.spmmSize(api.handle, nonTranspose, nonTranspose, one, a, xs[0], zero, ys[0],
                                       real, spec.algorithm, &bytes)
                        : api.spmvSize(api.handle, nonTranspose, one, a, xs[0], zero, ys[0], real,
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
            code = spmm ? api.spmmPreprocess(api.handle, nonTranspose, nonTranspose, one, a, xs[0], zero,
                                             ys[0], real, spec.algorithm, workspace)
                        : api.spmvPreprocess(api.handle, nonTranspose, one, a, xs[0], zero, ys[0], real,
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
        r->m_call = [&api, spec, a, vectors, workspace, spmm, one = one, zero = zero, real](int slot) {
            void *x = vectors.xs[static_cast<std::size_t>(slot)],
                 *y = vectors.ys[static_cast<std::size_t>(slot)];
            const int result = spmm ? api.spmm(api.handle, nonTranspose, nonTranspose, one, a, x, zero, y,
                                               real, spec.algorithm, workspace)
                                    : api.spmv(api.handle, nonTranspose, one, a, x, zero, y, real,
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
    void* const a = pointer(arrays->arrays[0]);
    routine->m_call = [this, &api, a](int slot) {
        const auto at = static_cast<std::size_t>(slot);
        const bool wide = m_matrix.type == ElementType::F64;
        return api.check(wide ? multiplyDense<double>(api.dgemv, api.dgemm, api.handle, m_matrix, m_columns,
                                                      a, pointer(m_xs[at]), pointer(m_ys[at]))
                              : multiplyDense<float>(api.sgemv, api.sgemm, api.handle, m_matrix, m_columns, a,
                                                     pointer(m_xs[at]), pointer(m_ys[at])),
                         "multiplying a dense matrix");
    };
    return routine;
}

Status LibraryMatrix::checkOutput(const RoutineSpec& spec, bool everySlot)
{
    const auto rows = static_cast<std::size_t>(m_matrix.rows), cols = static_cast<std::size_t>(m_matrix.cols),
               n = static_cast<std::size_t>(m_columns);
    if (rows == 0 || cols == 0)
        return {};
    const ElementType type = m_matrix.type;
    std::vector<std::byte> bytes(rows * n * sizeOf(type));
    // Every slot was poison before the last graph, which calls all of them.
    constexpr std::size_t mostBytes = std::size_t(8) << 20;
    const std::size_t slots = everySlot && bytes.size() <= mostBytes ? ringSlots : 1;
    for (std::size_t slot = 0; slot < slots; ++slot) {
        SPARSERL_CHECK(m_gpu.download(bytes.data(), m_ys[slot], bytes.size()));
        SPARSERL_CHECK(checkSlot(spec, bytes, slot));
    }
    return {};
}

Status LibraryMatrix::checkSlot(const RoutineSpec& spec, const std::vector<std::byte>& bytes,
                                std::size_t slot) const
{
    const auto rows = static_cast<std::size_t>(m_matrix.rows), cols = static_cast<std::size_t>(m_matrix.cols),
               n = static_cast<std::size_t>(m_columns);
    const ElementType type = m_matrix.type;
    const auto got = [&](std::size_t r, std::size_t k) {
        const std::size_t at = spec.rowMajor || n == 1 ? r * n + k : k * rows + r;
        return numberAt(bytes, type, at);
    };
    const double largest = 0.5 * NumberFormat::of(type).largest();
    const double near = type == ElementType::F64 ? 1e-10 : 1e-3;
    const std::size_t step = std::max<std::size_t>(1, rows / 509);
    for (std::size_t r = slot % step; r < rows; r += step) { // Other rows of each.
        for (std::size_t k = 0; k < n; k += std::max<std::size_t>(1, n / 2)) {
            double sum = 0, size = 0;
            for (std::int32_t i = m_matrix.rowPtr[r]; i < m_matrix.rowPtr[r + 1]; ++i) {
                const auto c = static_cast<std::size_t>(m_matrix.col[static_cast<std::size_t>(i)]);
                const double product = m_matrix.value(static_cast<std::size_t>(i)) *
                                       (spec.rowMajor || n == 1 ? m_x[c * n + k] : m_x[k * cols + c]);
                sum += product;
                size += std::abs(product);
            }
            if (size > largest)
                continue; // It may be infinite in some order of summation.
            // Not the programs' bound: a library may compute as it likes. This only tells right from wrong.
            if (!(std::abs(got(r, k) - sum) <= near * size + 1e-30))
                return fail(
                    fmt::format("{} gave {} in row {}, where {} is right", spec.name, got(r, k), r, sum));
        }
    }
    return {};
}

LibraryRoutine::~LibraryRoutine()
{
    if (m_gpu->poisoned())
        return;
    for (auto it = m_cleanUp.rbegin(); it != m_cleanUp.rend(); ++it) {
        try {
            (*it)();
        } catch (const std::exception&) { // What is left of it ends with the process.
        }
    }
}

TimedWork LibraryRoutine::work()
{
    TimedWork work;
    work.renew = m_renew;
    work.call = [this](const Place& place) -> Result<std::optional<Fault>> {
        try {
            SPARSERL_CHECK(m_call(place.slot));
        } catch (const std::exception& thrown) { // E.g. it waits for the stream while a graph is captured.
            return fail(fmt::format("the library failed: {}", thrown.what()));
        }
        return std::nullopt;
    };
    return work;
}

} // namespace sparserl::cuda

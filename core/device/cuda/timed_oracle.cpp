// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/timed_oracle.h"

#include "base/rng.h"
#include "device/float32.h"
#include "target/numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace sparserl::cuda {

namespace {

/// Of an entry's cost: so much of a call's work is done again for each call that is looked at.
constexpr std::int64_t workShare = 64;
constexpr std::int64_t leastEntries = 8192; ///< Compared of a call, at least.
constexpr std::int64_t fewestItems = 64, mostItems = 65536;
constexpr std::uint32_t longestRow = 16384; ///< Longer rows are compared as often as this many entries allow.
constexpr int mostWholes = 4;               ///< Calls of which all elements are compared.
constexpr std::int64_t muchWork = std::int64_t(1) << 27; ///< Entries times columns: one of them is enough.
constexpr std::size_t mostComparisons = 8192;

constexpr const char* comparing = "comparing the results of timed calls";

/// Comparison of helper_kernels.cu.
struct Comparison
{
    CUdeviceptr inputs, given, rowPtr, col, val, wrong, share;
    std::uint64_t stride, signSeed;
    double unit, underflow, largest;
    std::int32_t rows, columns;
    std::uint32_t inputCount, items, longest, unused;
};

/// WrongCall of helper_kernels.cu.
struct WrongCall
{
    std::uint64_t element;
    double expected, got, bound;
    std::uint32_t taken, changed;
};

constexpr std::size_t resultBytes = mostComparisons * 8 + sizeof(WrongCall) + 8;

template <typename T>
std::size_t bytesOf(const std::vector<T>& values)
{
    return values.size() * sizeof(T);
}

/// Aligned as the arrays of an arena are.
std::int64_t placeFor(std::size_t bytes)
{
    return roundUp(static_cast<std::int64_t>(bytes), 256);
}

} // namespace

/// By row half the time and by entry otherwise.
double OracleMatrix::meanDrawn(const Csr& matrix)
{
    double byRow = 0, byEntry = 0;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        const auto length = static_cast<double>(matrix.rowLength(row));
        byRow += std::min(length, double(longestRow));
        byEntry += length * std::min(length, double(longestRow));
    }
    return 1 + 0.5 * byRow / std::max(1.0, double(matrix.rows)) +
           0.5 * byEntry / std::max(1.0, static_cast<double>(matrix.nnz()));
}

Result<std::shared_ptr<const OracleMatrix>> OracleMatrix::of(Gpu& gpu,
                                                             std::shared_ptr<const OracleMatrix>& kept,
                                                             const std::shared_ptr<const Csr>& matrix)
{
    if (kept && kept->m_matrix == matrix)
        return kept;
    kept.reset(); // Before another takes its place on the GPU.
    std::shared_ptr<OracleMatrix> made(new OracleMatrix);
    made->m_matrix = matrix;
    made->m_meanDrawnLength = meanDrawn(*matrix);
    const std::int64_t rowPtr = placeFor(bytesOf(matrix->rowPtr)), col = placeFor(bytesOf(matrix->col)),
                       val =
                           visitValues(*matrix, [](const auto&values) { return placeFor(bytesOf(values)); });
    SPARSERL_TRY(auto memory, gpu.allocate(std::max<std::int64_t>(rowPtr + col + val, 4), comparing));
    made->m_memory = std::move(memory);
    made->m_col = made->m_memory.address() + static_cast<CUdeviceptr>(rowPtr);
    made->m_val = made->m_col + static_cast<CUdeviceptr>(col);
    SPARSERL_CHECK(gpu.upload(made->rowPtr(), matrix->rowPtr.data(), bytesOf(matrix->rowPtr)));
    SPARSERL_CHECK(gpu.upload(made->m_col, matrix->col.data(), bytesOf(matrix->col)));
    SPARSERL_CHECK(visitValues(*matrix, [&](const auto& values) {
        return gpu.upload(made->m_val, values.data(), bytesOf(values));
    }));
    kept = made;
    return kept;
}

Status TimedOracle::planItems(const CompareRequest& request)
{
    const Csr& matrix = m_matrix->matrix();
    m_columns = request.columns;
    m_underflow = matrix.type == ElementType::F64 ? underflowOf(false, matrix.type) : request.underflow;
    m_longest = longestRow;
    const auto entries = std::max<std::int64_t>(matrix.nnz(), 1);
    if (matrix.rows * m_columns > (std::int64_t(1) << 40))
        return fail("a result with more elements than can be compared on a GPU");
    const double wanted =
        static_cast<double>(std::max(leastEntries, entries / workShare)) / m_matrix->meanDrawnLength();
    m_items =
        static_cast<std::uint32_t>(std::clamp(static_cast<std::int64_t>(wanted), fewestItems, mostItems));
    m_wholes = entries * m_columns > muchWork ? 1 : mostWholes;
    return {};
}

/// Copies inputs to where no program knows them.
Status TimedOracle::takeInputs(const InputRanges& areas, std::span<const CallInputs> ring,
                               std::uint64_t signSeed)
{
    const ElementType type = m_matrix->matrix().type;
    const std::vector<Range>& inputs = areas.ranges;
    const std::size_t table = inputs.size() * sizeof(Range);
    m_inputs = static_cast<std::uint32_t>(inputs.size());
    const bool known = !ring.empty() && !ring.front().empty();
    if ((!inputs.empty() && areas.type != type) || (known && ring.front().front().type != type))
        return fail(
            fmt::format("a program is timed with inputs that are not {}, as its matrix is", nameOf(type)));
    std::vector<std::byte> plain;
    if (inputs.empty()) {
        if (!known)
            return fail("nothing is known of the inputs that a program is timed with");
        const auto bytes = ring.front().front().bytes;
        plain.assign(bytes.begin(), bytes.end());
        m_stride = 0; // Every slot has the same, and nobody reads it.
    } else {
        m_stride = inputs.front().size;
    }
    const std::size_t slot = sizeOf(type) * static_cast<std::size_t>(m_stride),
                      given = inputs.empty() ? plain.size() : slot * inputs.size();
    SPARSERL_TRY(
        auto memory,
        m_gpu->allocate(placeFor(given) + placeFor(sizeof(Comparison)) + placeFor(table), comparing));
    m_given = std::move(memory);
    m_common = m_given.address() + static_cast<CUdeviceptr>(placeFor(given));
    Comparison common{};
    common.inputs = m_common + static_cast<CUdeviceptr>(placeFor(sizeof(Comparison)));
    common.given = m_given.address();
    common.rowPtr = m_matrix->rowPtr();
    common.col = m_matrix->col();
    common.val = m_matrix->val();
    common.wrong = m_results.address() + 8 * mostComparisons;
    common.share = common.wrong + sizeof(WrongCall);
    common.stride = m_stride;
    common.signSeed = signSeed;
    common.unit = NumberFormat::of(type).unitRoundoff();
    common.largest = 0.5 * NumberFormat::of(type).largest();
    common.underflow = m_underflow;
    common.rows = m_matrix->matrix().rows;
    common.columns = static_cast<std::int32_t>(m_columns);
    common.inputCount = m_inputs;
    common.items = m_items;
    common.longest = m_longest;
    SPARSERL_CHECK(m_gpu->upload(m_common, &common, sizeof(common)));
    SPARSERL_CHECK(m_gpu->upload(common.inputs, inputs.data(), table));
    if (inputs.empty())
        return m_gpu->upload(m_given.address(), plain.data(), plain.size());
    for (std::size_t i = 0; i < inputs.size() && slot > 0; ++i) {
        SPARSERL_CHECK(m_gpu->check(m_gpu->api().memcpyDtoDAsync(m_given.address() + i * slot,
                                                                 inputs[i].address, slot, m_gpu->stream()),
                                    comparing));
    }
    return {};
}

Result<TimedOracle> TimedOracle::make(Gpu& gpu, std::shared_ptr<const OracleMatrix> matrix,
                                      const CompareRequest& request, const InputRanges& inputs,
                                      std::span<const CallInputs> ring, std::uint64_t signSeed,
                                      std::uint64_t seed)
{
    TimedOracle made(gpu);
    made.m_matrix = std::move(matrix);
    made.m_random = seed;
    SPARSERL_CHECK(made.planItems(request));
    SPARSERL_TRY(auto results, gpu.allocate(static_cast<std::int64_t>(resultBytes), comparing));
    made.m_results = std::move(results);
    SPARSERL_CHECK(gpu.check(gpu.api().memsetD8Async(made.m_results.address(), 0, resultBytes, gpu.stream()),
                             comparing));
    SPARSERL_TRY(auto sums, Checksums::make(gpu, 2));
    made.m_sums.emplace(std::move(sums));
    SPARSERL_CHECK(made.takeInputs(inputs, ring, signSeed));
    const Range given{made.m_given.address(), static_cast<std::uint64_t>(made.m_given.bytes()) / 4};
    SPARSERL_CHECK(made.m_sums->note({made.m_matrix->range(), given}));
    return made;
}

Result<int> TimedOracle::watch(const std::vector<Look>& looks)
{
    Sequence sequence;
    sequence.count = static_cast<std::uint32_t>(looks.size());
    if (!looks.empty()) {
        SPARSERL_TRY(auto memory, m_gpu->allocate(static_cast<std::int64_t>(bytesOf(looks)), comparing));
        sequence.looks = std::move(memory);
        SPARSERL_CHECK(m_gpu->upload(sequence.looks.address(), looks.data(), bytesOf(looks)));
    }
    m_sequences.push_back(std::move(sequence));
    return static_cast<int>(m_sequences.size()) - 1;
}

Status TimedOracle::compare(int sequence, const Renewal& renewal)
{
    const Sequence& what = m_sequences[static_cast<std::size_t>(sequence)];
    const Csr& matrix = m_matrix->matrix();
    const std::int64_t elements = matrix.rows * m_columns;
    if (what.count == 0 || elements == 0) {
        m_calls += what.count;
        return {};
    }
    if (m_keys.size() >= mostComparisons)
        return fail("more samples of a program than can be compared");
    Rng rng(m_random ^ (m_keys.size() + 1) * 0x9e3779b97f4a7c15ull);
    CUdeviceptr common = m_common, looks = what.looks.address(),
                total = m_results.address() + 8 * m_keys.size();
    std::uint64_t pick = rng.next(), key = rng.next() | 1;
    std::uint32_t state = m_inputs == 0 ? 0 : renewal.state(), whole = ~0u;
    // The first samples are not more likely to be compared whole than others.
    if (m_wholes > 0 && rng.chance(0.2)) {
        --m_wholes;
        whole = static_cast<std::uint32_t>(rng.below(what.count));
    }
    const bool all = elements <= m_items;
    const auto each = static_cast<std::uint64_t>(all ? elements : m_items);
    const std::uint64_t most = all || whole != ~0u ? static_cast<std::uint64_t>(elements) : each;
    const std::uint64_t compared =
        each * what.count + (whole != ~0u ? static_cast<std::uint64_t>(elements) - each : 0);
    m_keys.push_back(key);
    m_expected.push_back(key * compared);
    m_calls += what.count;
    m_elements += static_cast<std::int64_t>(compared);
    void* arguments[] = {&common, &looks, &pick, &key, &total, &state, &whole};
    const Helpers& helpers = m_gpu->helpers();
    return m_gpu->launchHelper(matrix.type == ElementType::F64 ? helpers.compare64 : helpers.compare,
                               m_gpu->blocksFor(32 * most), 256, arguments, comparing, what.count);
}

Result<std::optional<Fault>> TimedOracle::finish(ComparedCalls& found)
{
    const auto tampered = [] {
        Fault fault;
        fault.kind = FaultKind::OutOfBounds;
        fault.message = "a write outside every array, to what the results of timed calls are compared with";
        return std::optional<Fault>(std::move(fault));
    };
    std::vector<std::byte> results(resultBytes);
    SPARSERL_CHECK(m_sums->ask());
    SPARSERL_CHECK(fetchChecked(*m_gpu, results.data(), m_results.address(), resultBytes));
    SPARSERL_TRY(const auto changed, m_sums->firstChanged());
    if (changed)
        return tampered();
    const auto* sums = reinterpret_cast<const std::uint64_t*>(results.data());
    WrongCall wrong;
    std::memcpy(&wrong, results.data() + 8 * mostComparisons, sizeof(wrong));
    std::uint32_t share = 0;
    std::memcpy(&share, results.data() + 8 * mostComparisons + sizeof(wrong), sizeof(share));
    found.calls = m_calls;
    found.elements = m_elements;
    found.boundShare = static_cast<double>(std::bit_cast<float>(share));
    const bool right = std::equal(m_expected.begin(), m_expected.end(), sums);
    if (right && !wrong.taken)
        return std::nullopt;
    if (!wrong.taken)
        return tampered();
    if (wrong.changed) {
        auto written = tampered();
        written->message = "a write to the input, which may only be read here";
        return written;
    }
    const auto element = static_cast<std::int64_t>(wrong.element);
    found.wrong =
        WrongElement{element / m_columns, element % m_columns, wrong.expected, wrong.got, wrong.bound};
    return std::nullopt;
}

} // namespace sparserl::cuda

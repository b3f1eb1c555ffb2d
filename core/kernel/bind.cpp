// SPDX-License-Identifier: Apache-2.0
#include "kernel/bind.h"

#include "base/printable.h"
#include "kernel/operator_names.h"
#include "kernel/plan_expr.h"
#include "kernel/plan_names.h"
#include "matrix/sizes.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <map>

namespace sparserl {

namespace {

constexpr std::int64_t extraBytes = std::int64_t(64) << 20;

template <typename T>
std::vector<std::byte> asBytes(const std::vector<T>& values)
{
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    if (!bytes.empty())
        std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

template <typename T>
FormatArray makeArray(const char* name, ElementType type, const std::vector<T>& values)
{
    return {name, type, asBytes(values)};
}

FormatArray valueArray(const Csr& matrix)
{
    return matrix.type == ElementType::F64 ? makeArray("val", ElementType::F64, matrix.val64)
                                           : makeArray("val", ElementType::F32, matrix.val);
}

struct Part
{
    std::vector<std::int32_t> rows;
    FormatData data; ///< row_ids, row_ptr, col, val
};

Part buildPart(const Csr& matrix, const PlanPart& wanted)
{
    Part part;
    std::vector<std::int32_t> rowPtr{0};
    std::vector<std::int32_t> col;
    Csr values; // Only these, and their type.
    values.type = matrix.type;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        const std::int32_t length = matrix.rowLength(row);
        if (length < wanted.low || (wanted.high && length >= *wanted.high))
            continue;
        part.rows.push_back(row);
        const auto from = matrix.rowPtr[row];
        col.insert(col.end(), matrix.col.begin() + from, matrix.col.begin() + from + length);
        if (matrix.type == ElementType::F64)
            values.val64.insert(values.val64.end(), matrix.val64.begin() + from,
                                matrix.val64.begin() + from + length);
        else
            values.val.insert(values.val.end(), matrix.val.begin() + from,
                              matrix.val.begin() + from + length);
        rowPtr.push_back(static_cast<std::int32_t>(col.size()));
    }
    part.data.arrays = {makeArray("row_ids", ElementType::I32, part.rows),
                        makeArray("row_ptr", ElementType::I32, rowPtr),
                        makeArray("col", ElementType::I32, col), valueArray(values)};
    part.data.counts = {{"rows", static_cast<std::int64_t>(part.rows.size())},
                        {"nnz", static_cast<std::int64_t>(col.size())}};
    return part;
}

/// The bytes that a program reads and writes in any case, of which its own arrays may be a multiple.
std::int64_t baseBytes(const Workload& work, const Csr& matrix)
{
    if (!work.signature())
        return matrix.bytes();
    constexpr std::int64_t most = std::int64_t(1) << 50;
    std::int64_t bytes = 0;
    for (const WorkTensor& tensor : work.tensors())
        bytes = std::min(most, bytes + std::min(most, tensor.bytes()));
    return bytes;
}

/// Evaluates one plan for one target. `run` is called once.
class Binder
{
public:
    Binder(const Plan& plan, const Workload& work, const Csr& matrix, const DeviceLimits& limits)
        : m_plan(plan)
        , m_work(work)
        , m_type(work.variant().type)
        , m_matrix(matrix)
        , m_limits(limits)
        , m_byteLimit(8 * baseBytes(work, matrix) + extraBytes)
    {
    }

    tl::expected<BoundPlan, BindFailure> run()
    {
        std::optional<BindFailure> failure = checkTask();
        if (!failure)
            failure = checkType();
        if (const OperatorSignature* const signature = m_work.signature(); signature && !failure)
            failure = checkOperatorNames(m_plan, *signature);
        defineNumbers();
        if (!failure)
            failure = bindConsts();
        if (!failure)
            failure = bindFormats();
        if (!failure)
            failure = checkRequirements();
        if (!failure)
            failure = bindBuffers();
        for (const PlanCall& call : m_plan.calls) {
            if (!failure)
                failure = bindCall(call);
        }
        if (failure) {
            failure->reason = shortened(std::move(failure->reason)); // names can be as long as the text
            return tl::unexpected(std::move(*failure));
        }
        return std::move(m_result);
    }

private:
    using Failure = std::optional<BindFailure>;
    using Kind = BindFailure::Kind;

    std::optional<std::int64_t> valueOf(const PlanExpr& leaf) const
    {
        const auto found =
            m_values.find(leaf.op == PlanExpr::Op::Name ? leaf.name : leaf.name + "." + leaf.member);
        return found == m_values.end() ? std::nullopt : std::optional(found->second);
    }

    tl::expected<std::int64_t, BindFailure> value(const PlanExpr& expr, int line) const
    {
        auto result = evaluateNonNegative(expr, [this](const PlanExpr& leaf) { return valueOf(leaf); });
        if (!result)
            return tl::unexpected(BindFailure{Kind::PlanError, line, std::move(result.error())});
        return *result;
    }

    Failure charge(std::int64_t count, std::int64_t bytesEach, int line, const std::string& what)
    {
        std::int64_t bytes = 0;
        if (__builtin_mul_overflow(count, bytesEach, &bytes) ||
            __builtin_add_overflow(m_charged, bytes, &m_charged) || m_charged > m_byteLimit)
            return BindFailure{
                Kind::LaunchError, line,
                m_work.signature()
                    ? fmt::format("with {} the buffers take more than {} bytes (8 x the tensors + 64 MiB)",
                                  what, m_byteLimit)
                    : fmt::format("with {} the formats and buffers take more than {} bytes (8 x CSR + 64 "
                                  "MiB)",
                                  what, m_byteLimit),
                true};
        return std::nullopt;
    }

    void defineNumbers()
    {
        if (!m_work.signature()) {
            for (const std::string_view name : planNumbers)
                m_values[std::string(name)] = planNumber(name, m_work, m_limits);
            return;
        }
        m_values["sm_count"] = m_limits.smCount;
        for (const WorkTensor& tensor : m_work.tensors()) {
            m_values[tensor.name + ".numel"] = tensor.count();
            for (std::size_t i = 0; i < tensor.shape.size(); ++i)
                m_values[fmt::format("{}.dim({})", tensor.name, i)] = tensor.shape[i];
        }
    }

    /// The names of a plan mean nothing on a target of another kind.
    Failure checkTask() const
    {
        if ((m_plan.task == Task::Operator) == (m_work.signature() != nullptr))
            return std::nullopt;
        return BindFailure{
            Kind::PlanError, 0,
            m_work.signature()
                ? fmt::format("the program is for {}, and not for an operator", nameOf(m_plan.task))
                : std::string("the program is for an operator, and not for a sparse matrix")};
    }

    /// Values would be read as numbers of another type.
    Failure checkType() const
    {
        for (const ElementType given : {m_type, m_matrix.type})
            if (given != m_plan.type)
                return BindFailure{Kind::PlanError, 0,
                                   fmt::format("the program is for numbers in {}, but here they are in {}",
                                               nameOf(m_plan.type), nameOf(given))};
        return std::nullopt;
    }

    Failure bindConsts()
    {
        for (const PlanConst& constant : m_plan.consts) {
            const auto result = value(*constant.value, constant.line);
            if (!result)
                return result.error();
            m_values[constant.name] = *result;
        }
        return std::nullopt;
    }

    Failure bindFormats()
    {
        const auto started = std::chrono::steady_clock::now();
        for (const PlanPart& wanted : m_plan.parts) {
            Part part = buildPart(m_matrix, wanted);
            if (auto failure =
                    charge(part.data.bytes(), 1, wanted.line, fmt::format("the part '{}'", wanted.name)))
                return failure;
            m_result.setupBytes += part.data.bytes();
            addFormat(wanted.name, std::move(part.data));
            m_partRows[wanted.name] = std::move(part.rows);
        }
        for (const PlanFormat& wanted : m_plan.formats) {
            if (wanted.name == "csr")
                continue;
            std::optional<std::span<const std::int32_t>> rows;
            if (!wanted.part.empty())
                rows = m_partRows.at(wanted.part);
            auto data = buildFormat(m_matrix, wanted.spec, rows, m_byteLimit);
            if (!data)
                return BindFailure{Kind::FormatError, wanted.line, data.error().sentence()};
            if (auto failure =
                    charge(data->bytes(), 1, wanted.line, fmt::format("the format '{}'", wanted.name)))
                return failure;
            m_result.setupBytes += data->bytes();
            addFormat(wanted.name, std::move(*data));
        }
        m_result.conversionSeconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        return std::nullopt;
    }

    void addFormat(const std::string& name, FormatData data)
    {
        for (const auto& [count, number] : data.counts)
            m_values[name + "." + count] = number;
        for (FormatArray& array : data.arrays)
            m_arrays.emplace(name + "." + array.name, std::move(array));
    }

    /// Not a format error, which a test shape may forgive: nobody requires their way around a test.
    Failure checkRequirements() const
    {
        for (const PlanRequirement& wanted : m_plan.requirements) {
            const auto met = holds(wanted, [this](const PlanExpr& leaf) { return valueOf(leaf); });
            if (!met)
                return BindFailure{Kind::PlanError, wanted.line, met.error()};
            if (!*met)
                return BindFailure{
                    Kind::PlanError, wanted.line,
                    fmt::format("the program requires {}, which does not hold here", wanted.text)};
        }
        return std::nullopt;
    }

    Failure bindBuffers()
    {
        for (const PlanBuffer& buffer : m_plan.buffers) {
            const auto count = value(*buffer.count, buffer.line);
            if (!count) {
                BindFailure failure = count.error();
                failure.reason = fmt::format("the size of '{}': {}", buffer.name, failure.reason);
                return failure;
            }
            const auto each = static_cast<std::int64_t>(sizeOf(buffer.type));
            if (auto failure = charge(*count, each, buffer.line, fmt::format("the buffer '{}'", buffer.name)))
                return failure;
            if (buffer.prepared)
                m_result.setupBytes += *count * each;
            m_counts[buffer.name] = *count;
        }
        return std::nullopt;
    }

    BoundBuffer makeBuffer(const std::string& name)
    {
        BoundBuffer buffer;
        buffer.name = name;
        if (const auto tensor = m_work.find(name)) {
            buffer.role = bufferRoleOf(tensor->role);
            buffer.type = tensor->type;
            buffer.count = tensor->count();
            buffer.zero = tensor->role == TensorRole::Output &&
                          std::find(m_plan.zeroed.begin(), m_plan.zeroed.end(), name) != m_plan.zeroed.end();
            return buffer;
        }
        for (const PlanBuffer& planned : m_plan.buffers) {
            if (planned.name != name)
                continue;
            buffer.role = planned.prepared ? BufferRole::Prepared : BufferRole::Scratch;
            buffer.type = planned.type;
            buffer.count = m_counts.at(name);
            buffer.zero = planned.zero;
            return buffer;
        }
        FormatArray array;
        if (name == "csr.row_ptr")
            array = makeArray("row_ptr", ElementType::I32, m_matrix.rowPtr);
        else if (name == "csr.col")
            array = makeArray("col", ElementType::I32, m_matrix.col);
        else if (name == "csr.val")
            array = valueArray(m_matrix);
        else
            array = std::move(m_arrays.at(name));
        buffer.type = array.type;
        buffer.count = array.count();
        buffer.data = std::move(array.bytes);
        return buffer;
    }

    int bufferIndex(const std::string& name)
    {
        const int known = m_result.find(name);
        if (known >= 0)
            return known;
        m_result.buffers.push_back(makeBuffer(name));
        return static_cast<int>(m_result.buffers.size()) - 1;
    }

    Failure bindExtents(const std::vector<PlanExprPtr>& exprs, int line,
                        std::array<std::int64_t, 3>& extents) const
    {
        for (std::size_t i = 0; i < exprs.size(); ++i) {
            const auto extent = value(*exprs[i], line);
            if (!extent)
                return extent.error();
            extents[i] = *extent;
        }
        return std::nullopt;
    }

    Failure checkLaunch(const BoundCall& call) const
    {
        const auto launchError = [&](std::string reason) {
            return BindFailure{Kind::LaunchError, call.line, std::move(reason)};
        };
        std::int64_t threads = 1;
        for (std::size_t i = 0; i < 3; ++i) {
            if (call.block[i] > m_limits.maxBlock[i])
                return launchError(fmt::format("block extent {} is {}; this device allows {}", "xyz"[i],
                                               call.block[i], m_limits.maxBlock[i]));
            threads *= call.block[i];
            if (call.grid[i] > m_limits.maxGrid[i])
                return launchError(fmt::format("grid extent {} is {}; this device allows {}", "xyz"[i],
                                               call.grid[i], m_limits.maxGrid[i]));
        }
        if (threads > m_limits.maxThreadsPerBlock)
            return launchError(fmt::format("a block of {} threads; this device allows {}", threads,
                                           m_limits.maxThreadsPerBlock));
        if (call.dynamicSharedBytes > m_limits.maxSharedOptinBytes)
            return BindFailure{Kind::LaunchError, call.line,
                               fmt::format("{} bytes of dynamic shared memory; this device allows {}",
                                           call.dynamicSharedBytes, m_limits.maxSharedOptinBytes),
                               true};
        return std::nullopt;
    }

    Failure bindCall(const PlanCall& planned)
    {
        BoundCall call;
        call.kernel = planned.kernel;
        call.line = planned.line;
        if (auto failure = bindExtents(planned.grid, planned.line, call.grid))
            return failure;
        if (auto failure = bindExtents(planned.block, planned.line, call.block))
            return failure;
        if (std::count(call.block.begin(), call.block.end(), 0) > 0)
            return BindFailure{Kind::PlanError, planned.line,
                               m_work.signature() ? "the block has a zero extent at this size"
                                                  : "the block has a zero extent on this matrix"};
        call.skipped = std::count(call.grid.begin(), call.grid.end(), 0) > 0;
        if (planned.sharedBytes) {
            const auto bytes = value(*planned.sharedBytes, planned.line);
            if (!bytes)
                return bytes.error();
            call.dynamicSharedBytes = *bytes;
        }
        for (const PlanArgument& argument : planned.arguments) {
            if (!argument.array.empty()) {
                call.arguments.push_back(BufferRef{bufferIndex(argument.array)});
                continue;
            }
            if (argument.factor) {
                call.arguments.push_back(FactorRef{*argument.factor, m_type});
                continue;
            }
            if (!argument.value) {
                call.arguments.push_back(argument.real);
                continue;
            }
            const auto number = value(*argument.value, planned.line);
            if (!number)
                return number.error();
            call.arguments.push_back(*number);
        }
        if (!call.skipped) {
            if (auto failure = checkLaunch(call))
                return failure;
        }
        (planned.prepare ? m_result.prepares : m_result.launches).push_back(std::move(call));
        return std::nullopt;
    }

    const Plan& m_plan;
    Workload m_work;
    ElementType m_type;
    const Csr& m_matrix;
    const DeviceLimits& m_limits;
    std::int64_t m_byteLimit;
    std::int64_t m_charged = 0;
    std::map<std::string, std::int64_t, std::less<>> m_values; ///< Scalars, consts, "format.count"
    std::map<std::string, FormatArray, std::less<>> m_arrays;  ///< "format.array", until a buffer takes it
    std::map<std::string, std::vector<std::int32_t>> m_partRows;
    std::map<std::string, std::int64_t> m_counts; ///< Elements of scratch and prepared buffers.
    BoundPlan m_result;
};

} // namespace

int BoundPlan::find(std::string_view name) const
{
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (buffers[i].name == name)
            return static_cast<int>(i);
    }
    return -1;
}

tl::expected<BoundPlan, BindFailure> bindPlan(const Plan& plan, const SparseContents& contents,
                                              const DeviceLimits& limits)
{
    return Binder(plan, {contents.variant, sizesOf(contents.matrix)}, contents.matrix, limits).run();
}

tl::expected<BoundPlan, BindFailure> bindPlan(const Plan& plan, const Contents& contents,
                                              const TargetVariant& variant, const DeviceLimits& limits)
{
    if (contents.matrix)
        return bindPlan(plan, SparseContents{*contents.matrix, variant}, limits);
    Csr none; // Of no entries: formats of it say nothing.
    none.type = variant.type;
    return Binder(plan, workloadOf(contents, variant), none, limits).run();
}

} // namespace sparserl

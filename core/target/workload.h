// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/target_id.h"
#include "target/work_tensor.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sparserl {

// The work of a call on a target, whatever the program: tensors, numbers, operations and bytes. Plans,
// bundles, rates and limits use it.

/// The sizes of a sparse matrix that determine its workload. Sizes that are not needed may be 0.
struct SparseSizes
{
    std::int64_t rows = 0, cols = 0, nnz = 0;
    std::int64_t longestRow = 0;  ///< Number of entries in the longest row.
    std::int64_t usedColumns = 0; ///< Number of columns with at least one entry.
};

struct OperatorSignature;

/// A tensor of a task with a sparse matrix, under its name in plans. `extent` is its first extent. In SpMM,
/// the second extent is the number of columns.
struct TensorRule
{
    std::string_view name;
    Task task;
    TensorRole role;
    std::int64_t SparseSizes::*extent;
};
inline constexpr std::array<TensorRule, 4> tensorRules{{
    {"x", Task::SpMV, TensorRole::Input, &SparseSizes::cols},
    {"y", Task::SpMV, TensorRole::Output, &SparseSizes::rows},
    {"B", Task::SpMM, TensorRole::Input, &SparseSizes::cols},
    {"C", Task::SpMM, TensorRole::Output, &SparseSizes::rows},
}};

/// A number that describes a target, under its name in plans.
struct NumberRule
{
    std::string_view name;
    std::optional<Task> only; ///< The only task that has this number. If nullopt, all tasks have it.
    std::int64_t (*of)(const SparseSizes& sizes, const TargetVariant& variant);
};
inline constexpr std::array<NumberRule, 6> numberRules{{
    {"rows", {}, [](const SparseSizes& s, const TargetVariant&) { return s.rows; }},
    {"cols", {}, [](const SparseSizes& s, const TargetVariant&) { return s.cols; }},
    {"nnz", {}, [](const SparseSizes& s, const TargetVariant&) { return s.nnz; }},
    {"max_length", {}, [](const SparseSizes& s, const TargetVariant&) { return s.longestRow; }},
    {"mean_length",
     {},
     [](const SparseSizes& s, const TargetVariant&) { return s.rows > 0 ? s.nnz / s.rows : 0; }},
    {"dense_cols", Task::SpMM, [](const SparseSizes&, const TargetVariant& v) { return v.columns; }},
}};

/// The work of a task, whatever the program: the floating-point operations, and how many numbers must move.
struct WorkRule
{
    Task task;
    double (*flops)(const SparseSizes& sizes, const TargetVariant& variant);
    std::int64_t (*numbers)(const SparseSizes& sizes, const TargetVariant& variant);
};
/// Counts one multiplication and one addition per entry and column.
constexpr double sparseFlops(const SparseSizes& s, const TargetVariant& v)
{
    return 2.0 * static_cast<double>(s.nnz) * static_cast<double>(v.columns);
}
/// Returns the count of values, of input elements that some entry uses, and of output elements.
constexpr std::int64_t sparseNumbers(const SparseSizes& s, const TargetVariant& v)
{
    return s.nnz + v.columns * (s.usedColumns + s.rows);
}
inline constexpr std::array<WorkRule, 2> workRules{{
    {Task::SpMV, sparseFlops, sparseNumbers},
    {Task::SpMM, sparseFlops, sparseNumbers},
}};

/// Returns the rule with this name, or nullptr.
template <typename Rule, std::size_t Size>
constexpr const Rule* ruleOf(const std::array<Rule, Size>& rules, std::string_view name)
{
    const auto at =
        std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.name == name; });
    return at == rules.end() ? nullptr : &*at;
}

/// Returns the name of the tensor that a task's programs read (input) or write (output). Each task with a
/// sparse matrix has exactly one of each. Returns an empty text for Task::Operator.
constexpr std::string_view tensorName(Task task, TensorRole role)
{
    const auto at = std::find_if(tensorRules.begin(), tensorRules.end(), [&](const TensorRule& rule) {
        return rule.task == task && rule.role == role;
    });
    return at == tensorRules.end() ? std::string_view() : at->name;
}

/// Returns the names of all tensors that a task's programs read or write, in the order of `tensorRules`.
/// Empty for Task::Operator, whose tensors differ from target to target.
std::vector<std::string_view> tensorNames(Task task, TensorRole role);

/// Returns an output element as people write it: "y[3]", "C[3, 5]". `output` is the number of the tensor
/// among the task's outputs; if unset, the first one is meant. `column` is ignored for a vector. For an
/// operator, `row` is the position in row-major order ("out[17]"), and `output` is set only if there are
/// several outputs.
std::string elementName(const TargetVariant& variant, std::optional<std::int64_t> output, std::int64_t row,
                        std::int64_t column);

class Workload
{
public:
    Workload(const TargetVariant& variant, const SparseSizes& sizes)
        : m_variant(variant)
        , m_sizes(sizes)
    {
    }
    /// The workload of an operator.
    Workload(const TargetVariant& variant, std::shared_ptr<const OperatorSignature> signature)
        : m_variant(variant)
        , m_signature(std::move(signature))
    {
    }

    /// All tensors that programs read and write, in the order of `tensorRules` or of the signature.
    std::vector<WorkTensor> tensors() const;
    /// Returns the tensor with this name in plans. For a sparse matrix, the name may be that of a tensor of
    /// the other task; a plan that could be parsed does not have such names.
    std::optional<WorkTensor> find(std::string_view name) const;
    /// The only input or output of a task with a sparse matrix.
    WorkTensor tensor(TensorRole role) const;
    WorkTensor tensor(const TensorRule& rule) const;
    /// The signature of an operator; nullptr for a sparse matrix.
    const OperatorSignature* signature() const { return m_signature.get(); }
    const SparseSizes& sizes() const { return m_sizes; }
    const TargetVariant& variant() const { return m_variant; }
    std::int64_t number(const NumberRule& rule) const { return rule.of(m_sizes, m_variant); }

    /// Returns the floating-point operations per call (`workRules`). All rates use this number, whatever
    /// operations a program performs. Needs nnz.
    double flops() const;
    /// Returns the rate in units of 10^9 operations per second, or 0 if the time is not known.
    double gflops(double microseconds) const;
    /// Returns the minimum number of bytes to move (`workRules`). This excludes indices, which some formats
    /// do not need. Needs nnz, rows and usedColumns.
    std::int64_t compulsoryBytes() const;
    /// Returns the bytes that a program moves if it reads A in CSR with 32-bit indices.
    std::int64_t csrBytes() const;

private:
    TargetVariant m_variant;
    SparseSizes m_sizes;
    std::shared_ptr<const OperatorSignature> m_signature;
};

/// Returns a workload for code that needs only the operation count.
inline Workload workloadOf(const TargetId& target, std::int64_t nnz)
{
    return {target.variant, {.nnz = nnz}};
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/target_id.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The workload of a call on a target, independent of the program: tensors, numbers, operations and bytes.
/// Plans, bundles, rates and limits use it.

/// The sizes of a sparse matrix that determine its workload. Sizes that are not needed may be 0.
struct SparseSizes
{
    std::int64_t rows = 0, cols = 0, nnz = 0;
    std::int64_t longestRow = 0;  ///< Entries of the longest row.
    std::int64_t usedColumns = 0; ///< Columns with at least one entry.
};

/// Whether the caller or the program fills a tensor.
enum class TensorRole
{
    Input,
    Output
};

/// A tensor of a task with its name in plans. `extent` is its first extent; in SpMM, the number of columns is
/// the second.
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

/// A number of a target with its name in plans.
struct NumberRule
{
    std::string_view name;
    std::optional<Task> only; ///< The only task with this number; nullopt: all tasks.
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

/// The work of a task, independent of the program: floating-point operations, and numbers to move.
struct WorkRule
{
    Task task;
    double (*flops)(const SparseSizes& sizes, const TargetVariant& variant);
    std::int64_t (*numbers)(const SparseSizes& sizes, const TargetVariant& variant);
};
/// One multiplication and one addition per entry and column.
constexpr double sparseFlops(const SparseSizes& s, const TargetVariant& v)
{
    return 2.0 * static_cast<double>(s.nnz) * static_cast<double>(v.columns);
}
/// Every value, every input element used by some entry, and every output element.
constexpr std::int64_t sparseNumbers(const SparseSizes& s, const TargetVariant& v)
{
    return s.nnz + v.columns * (s.usedColumns + s.rows);
}
inline constexpr std::array<WorkRule, 2> workRules{{
    {Task::SpMV, sparseFlops, sparseNumbers},
    {Task::SpMM, sparseFlops, sparseNumbers},
}};

/// The rule with a name, or nullptr.
template <typename Rule, std::size_t Size>
constexpr const Rule* ruleOf(const std::array<Rule, Size>& rules, std::string_view name)
{
    const auto at =
        std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.name == name; });
    return at == rules.end() ? nullptr : &*at;
}

/// The name of the tensor that a task's programs read or write; there is exactly one of each.
constexpr std::string_view tensorName(Task task, TensorRole role)
{
    const auto at = std::find_if(tensorRules.begin(), tensorRules.end(), [&](const TensorRule& rule) {
        return rule.task == task && rule.role == role;
    });
    return at == tensorRules.end() ? std::string_view() : at->name;
}

/// The names of all tensors that a task's programs read or write, in the order of the rules.
std::vector<std::string_view> tensorNames(Task task, TensorRole role);

/// An element of an output as people write it: "y[3]", "C[3, 5]". `output`: its number among the task's
/// outputs; unset: the only one. A vector has no column.
std::string elementName(const TargetVariant& variant, std::optional<std::int64_t> output, std::int64_t row,
                        std::int64_t column);

/// A tensor that changes between calls, row-major.
struct WorkTensor
{
    std::string_view name;
    TensorRole role = TensorRole::Input;
    ElementType type = ElementType::F32;
    std::vector<std::int64_t> shape; ///< {cols} for x, {cols, columns} for B.

    std::int64_t count() const; ///< Number of elements.
    std::int64_t bytes() const { return count() * static_cast<std::int64_t>(sizeOf(type)); }
};

class Workload
{
public:
    Workload(const TargetVariant& variant, const SparseSizes& sizes)
        : m_variant(variant)
        , m_sizes(sizes)
    {
    }

    /// All tensors that programs read and write, in the order of `tensorRules`.
    std::vector<WorkTensor> tensors() const;
    WorkTensor tensor(TensorRole role) const;
    WorkTensor tensor(const TensorRule& rule) const;
    const SparseSizes& sizes() const { return m_sizes; }
    const TargetVariant& variant() const { return m_variant; }
    std::int64_t number(const NumberRule& rule) const { return rule.of(m_sizes, m_variant); }

    /// Floating-point operations per call (`workRules`). All rates use this number, whatever a program does.
    /// Needs nnz.
    double flops() const;
    /// Rate in units of 10^9 operations per second; 0 if the time is not known.
    double gflops(double microseconds) const;
    /// The minimum number of bytes to move (`workRules`). Excludes indices, which some formats do not need.
    /// Needs nnz, rows and usedColumns.
    std::int64_t compulsoryBytes() const;
    /// Bytes moved by a program that reads A in CSR with 32-bit indices.
    std::int64_t csrBytes() const;

private:
    TargetVariant m_variant;
    SparseSizes m_sizes;
};

/// For code that needs only the operation count.
inline Workload workloadOf(const TargetId& target, std::int64_t nnz)
{
    return {target.variant, {.nnz = nnz}};
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/target_id.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace sparserl {

/// What a target asks of a call, whatever program answers it: tensors, numbers, operations and bytes. Plans,
/// bundles, rates and limits take them from here.

/// Sizes of a sparse matrix: what its workload follows from. One that is not needed may be left at 0.
struct SparseSizes
{
    std::int64_t rows = 0, cols = 0, nnz = 0;
    std::int64_t longestRow = 0;  ///< Entries of it.
    std::int64_t usedColumns = 0; ///< Columns with an entry.
};

/// Who fills a tensor: the caller, or the program.
enum class TensorRole
{
    Input,
    Output
};

/// A tensor of a task by its name in plans. `extent`: its first one; SpMM's have the columns as the second.
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

/// A number of a target by its name in plans.
struct NumberRule
{
    std::string_view name;
    std::optional<Task> only; ///< Exists in this task; nothing: in every one.
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

/// What a task takes, whatever program answers it: floating-point operations, and numbers that have to be
/// moved.
struct WorkRule
{
    Task task;
    double (*flops)(const SparseSizes& sizes, const TargetVariant& variant);
    std::int64_t (*numbers)(const SparseSizes& sizes, const TargetVariant& variant);
};
/// A product and a sum for each entry and column.
constexpr double sparseFlops(const SparseSizes& s, const TargetVariant& v)
{
    return 2.0 * static_cast<double>(s.nnz) * static_cast<double>(v.columns);
}
/// Every value, every element of the input that some entry needs, every element of the output.
constexpr std::int64_t sparseNumbers(const SparseSizes& s, const TargetVariant& v)
{
    return s.nnz + v.columns * (s.usedColumns + s.rows);
}
inline constexpr std::array<WorkRule, 2> workRules{{
    {Task::SpMV, sparseFlops, sparseNumbers},
    {Task::SpMM, sparseFlops, sparseNumbers},
}};

/// The rule of a name, or nullptr.
template <typename Rule, std::size_t Size>
constexpr const Rule* ruleOf(const std::array<Rule, Size>& rules, std::string_view name)
{
    const auto at =
        std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.name == name; });
    return at == rules.end() ? nullptr : &*at;
}

/// The name of what a task's programs read or write; each has one of either.
constexpr std::string_view tensorName(Task task, TensorRole role)
{
    const auto at = std::find_if(tensorRules.begin(), tensorRules.end(), [&](const TensorRule& rule) {
        return rule.task == task && rule.role == role;
    });
    return at == tensorRules.end() ? std::string_view() : at->name;
}

/// The names of all that a task's programs read, or of all that they write, in the order of the rules.
std::vector<std::string_view> tensorNames(Task task, TensorRole role);

/// A tensor that differs from call to call, row-major.
struct WorkTensor
{
    std::string_view name;
    TensorRole role = TensorRole::Input;
    ElementType type = ElementType::F32;
    std::vector<std::int64_t> shape; ///< {cols} of x, {cols, columns} of B.

    std::int64_t count() const; ///< Elements.
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

    /// All that programs read and write, in the order of `tensorRules`.
    std::vector<WorkTensor> tensors() const;
    WorkTensor tensor(TensorRole role) const;
    WorkTensor tensor(const TensorRule& rule) const;
    const SparseSizes& sizes() const { return m_sizes; }
    const TargetVariant& variant() const { return m_variant; }
    std::int64_t number(const NumberRule& rule) const { return rule.of(m_sizes, m_variant); }

    /// Floating-point operations of a call (`workRules`). They are what rates are quoted in, whatever a
    /// program does. Needs nnz.
    double flops() const;
    /// 10^9 of these a second; 0 where there is no time.
    double gflops(double microseconds) const;
    /// Bytes that any program has to move, of `workRules`. Indices are left out: a format may do without.
    /// Needs nnz, rows and usedColumns.
    std::int64_t compulsoryBytes() const;
    /// Those of a program that reads A as it is, in CSR with 32-bit indices.
    std::int64_t csrBytes() const;

private:
    TargetVariant m_variant;
    SparseSizes m_sizes;
};

/// For what needs the operations alone.
inline Workload workloadOf(const TargetId& target, std::int64_t nnz)
{
    return {target.variant, {.nnz = nnz}};
}

} // namespace sparserl

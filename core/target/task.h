// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sparserl {

/// What a kernel program computes: y = A x, C = A B with a row-major dense B, or the outputs of an operator's
/// graph (operator/graph/operator_graph.h).
enum class Task
{
    SpMV,
    SpMM,
    Operator
};

/// Returns "spmv", "spmm" or "operator".
constexpr std::string_view nameOf(Task task)
{
    return task == Task::SpMV ? "spmv" : task == Task::SpMM ? "spmm" : "operator";
}

constexpr std::optional<Task> taskFromName(std::string_view name)
{
    if (name == "spmv")
        return Task::SpMV;
    if (name == "spmm")
        return Task::SpMM;
    if (name == "operator")
        return Task::Operator;
    return std::nullopt;
}

/// The kinds of targets.
enum class TargetKind
{
    Sparse,  ///< A sparse matrix A, for y = A x or for C = A B with dense columns.
    Operator ///< The graph of an operator task at one size.
};

/// Returns "sparse" or "operator".
constexpr std::string_view nameOf(TargetKind kind)
{
    return kind == TargetKind::Sparse ? "sparse" : "operator";
}
constexpr std::optional<TargetKind> enumFromName(std::string_view name, TargetKind)
{
    for (const TargetKind kind : {TargetKind::Sparse, TargetKind::Operator})
        if (name == nameOf(kind))
            return kind;
    return std::nullopt;
}

/// Returns the task of a target that has the given kind and number of dense columns.
constexpr Task taskOf(TargetKind kind, std::int64_t columns)
{
    if (kind == TargetKind::Operator)
        return Task::Operator;
    return columns > 1 ? Task::SpMM : Task::SpMV;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sparserl {

/// What a kernel program computes: y = A x, or C = A B with a row-major dense B.
enum class Task
{
    SpMV,
    SpMM
};

/// Returns "spmv" or "spmm".
constexpr std::string_view nameOf(Task task)
{
    return task == Task::SpMV ? "spmv" : "spmm";
}

constexpr std::optional<Task> taskFromName(std::string_view name)
{
    if (name == "spmv")
        return Task::SpMV;
    if (name == "spmm")
        return Task::SpMM;
    return std::nullopt;
}

/// The kinds of targets.
enum class TargetKind
{
    Sparse ///< A sparse matrix A, for y = A x or for C = A B with dense columns.
};

/// Returns "sparse".
constexpr std::string_view nameOf(TargetKind)
{
    return "sparse";
}
constexpr std::optional<TargetKind> enumFromName(std::string_view name, TargetKind)
{
    return name == nameOf(TargetKind::Sparse) ? std::optional(TargetKind::Sparse) : std::nullopt;
}

/// Returns the task of a target that has the given kind and number of dense columns.
constexpr Task taskOf(TargetKind, std::int64_t columns)
{
    return columns > 1 ? Task::SpMM : Task::SpMV;
}

} // namespace sparserl

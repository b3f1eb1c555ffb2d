// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/task.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// What programs can be judged on.
enum class TargetKind
{
    Sparse ///< A sparse matrix A: for y = A x, or for C = A B where there are dense columns.
};

/// "sparse"
constexpr std::string_view nameOf(TargetKind)
{
    return "sparse";
}
constexpr std::optional<TargetKind> enumFromName(std::string_view name, TargetKind)
{
    return name == nameOf(TargetKind::Sparse) ? std::optional(TargetKind::Sparse) : std::nullopt;
}

/// Which target: what records, events and the index keep of it. Its contents are in matrix/target.h.
struct TargetId
{
    TargetKind kind = TargetKind::Sparse;
    std::string digest; ///< Of the contents: `digest` of matrix/csr.h.
    std::string name;   ///< For people.
    /// Columns of B where C = A B is asked for, 2 to 1,024; 1: y = A x.
    std::int64_t denseColumns = 1;

    Task task() const { return denseColumns > 1 ? Task::SpMM : Task::SpMV; }
    /// What times, verdicts and reference programs are kept under, since they are of contents and a task: the
    /// digest for SpMV, "DIGEST/8" for SpMM with 8 dense columns.
    std::string key() const;
};

} // namespace sparserl

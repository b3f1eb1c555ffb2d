// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace sparserl {

/// What a kernel program computes: y = A x, or C = A B with a row-major dense B.
enum class Task
{
    SpMV,
    SpMM
};

/// "spmv", "spmm"
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

} // namespace sparserl

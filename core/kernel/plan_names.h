// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/bind.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sparserl {

// Names that a plan has without defining them (docs/formats.md 1), and what they stand for on a target.

/// A number of a target or of the device.
struct PlanNumber
{
    std::string_view name;
    std::optional<Task> only; ///< Exists in this task; nothing: in every one.
    std::int64_t (*of)(const SparseContents& contents, const DeviceLimits& limits);
};

/// The number of entries of the longest row; 0 without rows.
std::int64_t longestRow(const Csr& matrix);

/// Bundles name them by their position (code::Scalar of kernel/export/src/plan.h): new ones come last.
inline constexpr std::array<PlanNumber, 7> planNumbers{{
    {"rows", {}, [](const SparseContents& c, const DeviceLimits&) { return std::int64_t(c.matrix.rows); }},
    {"cols", {}, [](const SparseContents& c, const DeviceLimits&) { return std::int64_t(c.matrix.cols); }},
    {"nnz", {}, [](const SparseContents& c, const DeviceLimits&) { return std::int64_t(c.matrix.nnz()); }},
    {"max_length", {}, [](const SparseContents& c, const DeviceLimits&) { return longestRow(c.matrix); }},
    {"mean_length",
     {},
     [](const SparseContents& c, const DeviceLimits&) {
         return c.matrix.rows > 0 ? std::int64_t(c.matrix.nnz() / c.matrix.rows) : 0;
     }},
    {"sm_count", {}, [](const SparseContents&, const DeviceLimits& d) { return std::int64_t(d.smCount); }},
    {"dense_cols", Task::SpMM,
     [](const SparseContents& c, const DeviceLimits&) { return c.variant.columns; }},
}};

/// A tensor that differs from call to call, row-major.
struct PlanTensor
{
    std::string_view name;
    Task task;
    BufferRole role;
    ElementType type;
    std::int64_t (*count)(const SparseContents& contents);
};

inline constexpr std::array<PlanTensor, 4> planTensors{{
    {"x", Task::SpMV, BufferRole::Input, ElementType::F32,
     [](const SparseContents& c) { return c.matrix.cols * c.variant.columns; }},
    {"y", Task::SpMV, BufferRole::Output, ElementType::F32,
     [](const SparseContents& c) { return c.matrix.rows * c.variant.columns; }},
    {"B", Task::SpMM, BufferRole::Input, ElementType::F32,
     [](const SparseContents& c) { return c.matrix.cols * c.variant.columns; }},
    {"C", Task::SpMM, BufferRole::Output, ElementType::F32,
     [](const SparseContents& c) { return c.matrix.rows * c.variant.columns; }},
}};

/// Its row of one of the tables above, or nullptr.
template <typename Row, std::size_t Size>
constexpr const Row* planName(const std::array<Row, Size>& table, std::string_view name)
{
    const auto at =
        std::find_if(table.begin(), table.end(), [&](const Row& row) { return row.name == name; });
    return at == table.end() ? nullptr : &*at;
}

/// The name of what a task's programs write (Output) or read (Input).
constexpr std::string_view tensorOf(Task task, BufferRole role)
{
    const auto at = std::find_if(planTensors.begin(), planTensors.end(),
                                 [&](const PlanTensor& one) { return one.task == task && one.role == role; });
    return at == planTensors.end() ? std::string_view() : at->name;
}

inline bool isFunction(std::string_view name)
{
    return name == "min" || name == "max" || name == "ceil_div" || name == "pow2_ceil";
}

} // namespace sparserl

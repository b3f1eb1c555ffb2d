// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/element_type.h"
#include "target/task.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// What is computed with the contents of a target, and the element type.
struct TargetVariant
{
    /// For C = A B, the number of columns of B (2 to 1,024); 1 for y = A x.
    std::int64_t columns = 1;
    /// Type of the values, inputs and outputs: F32 or F64.
    ElementType type = ElementType::F32;
    TargetKind kind = TargetKind::Sparse; ///< Kind of the contents.

    /// Returns the variant of a task. `columns` is used only for SpMM.
    static TargetVariant of(Task task, std::int64_t columns, ElementType type = ElementType::F32)
    {
        TargetVariant made;
        made.type = type;
        if (task == Task::SpMM)
            made.columns = columns;
        if (task == Task::Operator)
            made.kind = TargetKind::Operator;
        return made;
    }
    Task task() const { return taskOf(kind, columns); }
    bool operator==(const TargetVariant&) const = default;
};

/// The identity of a target as it is stored in records, events and the index. The contents are in
/// matrix/target.h. Two targets are equal if their keys are equal; the name is only for display.
struct TargetId
{
    std::string contents; ///< Digest of the contents: `digest` in matrix/csr.h.
    std::string name;     ///< For display.
    TargetVariant variant;
    /// In double precision, the doublesDigest() in matrix/csr.h; empty if floats represent all values.
    std::string values = {};

    Task task() const { return variant.task(); }
    /// Returns the key under which times, verdicts and reference programs are stored. Its parts, in order,
    /// are the digest, "/KIND" for a kind other than Sparse, "/8" for SpMM with 8 dense columns, and "/f64"
    /// or "/f64-VALUES" for an element type other than float32. For SpMV with a sparse matrix in float32, the
    /// key is only the digest.
    std::string key() const;
    /// Returns the target with this key, without its name, or nullopt if the text is not a key.
    static std::optional<TargetId> fromKey(std::string_view key);

    bool operator==(const TargetId& other) const { return key() == other.key(); }
    /// Returns true if both targets have equal contents, whatever is computed with them.
    bool sameContents(const TargetId& other) const;
    /// Returns true if times on the two targets are comparable: both have the same computation, on any
    /// contents.
    bool sameVariant(const TargetId& other) const;
};

} // namespace sparserl

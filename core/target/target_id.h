// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/element_type.h"
#include "target/task.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// The computation to perform on the contents of a target, and its element type.
struct TargetVariant
{
    /// Columns of B, 2 to 1,024, for C = A B; 1: y = A x.
    std::int64_t columns = 1;
    /// Type of the values, inputs and outputs: F32 or F64.
    ElementType type = ElementType::F32;
    TargetKind kind = TargetKind::Sparse; ///< Kind of the contents.

    /// The variant of a task. `columns` applies to SpMM only.
    static TargetVariant of(Task task, std::int64_t columns, ElementType type = ElementType::F32)
    {
        TargetVariant made;
        made.type = type;
        if (task == Task::SpMM)
            made.columns = columns;
        return made;
    }
    Task task() const { return taskOf(kind, columns); }
    bool operator==(const TargetVariant&) const = default;
};

/// The identity of a target, as stored in records, events and the index. The contents are in matrix/target.h.
/// Two targets are equal if their key() is equal; the name is for display.
struct TargetId
{
    std::string contents; ///< Digest of the contents: `digest` in matrix/csr.h.
    std::string name;     ///< For display.
    TargetVariant variant;
    /// In double precision, doublesDigest() in matrix/csr.h. Empty if floats represent all values.
    std::string values = {};

    Task task() const { return variant.task(); }
    /// The key of times, verdicts and reference programs. Its parts, in order, are the digest, "/KIND" for a
    /// kind other than Sparse, "/8" for SpMM with 8 dense columns, and "/f64" or "/f64-VALUES" for an element
    /// type other than float32. For SpMV with a sparse matrix in float32, the key is the digest alone.
    std::string key() const;
    /// The inverse, without the name. nullopt if the text is not a key.
    static std::optional<TargetId> fromKey(std::string_view key);

    bool operator==(const TargetId& other) const { return key() == other.key(); }
    /// Whether the contents are equal, whatever the computation.
    bool sameContents(const TargetId& other) const;
    /// Whether times on the two targets are comparable: the same computation, on any contents.
    bool sameVariant(const TargetId& other) const;
};

} // namespace sparserl

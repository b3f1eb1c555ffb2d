// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/element_type.h"
#include "target/task.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// What the contents of a target leave open: what is to be computed with them, and in which numbers.
struct TargetVariant
{
    /// Columns of B where C = A B is asked for, 2 to 1,024; 1: y = A x.
    std::int64_t columns = 1;
    /// Of the values, the inputs and the outputs: F32 or F64.
    ElementType type = ElementType::F32;
    TargetKind kind = TargetKind::Sparse; ///< Of the contents.

    /// Of a task; `columns` count for SpMM only.
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

/// Which target: what records, events and the index keep of it. Its contents are in matrix/target.h. Two are
/// the same where their key() is; the name is for people.
struct TargetId
{
    std::string contents; ///< Digest of them: `digest` of matrix/csr.h.
    std::string name;     ///< For people.
    TargetVariant variant;
    /// In double precision: doublesDigest() of matrix/csr.h. Empty where floats hold all values.
    std::string values = {};

    Task task() const { return variant.task(); }
    /// What times, verdicts and reference programs are kept under: the digest for SpMV, "DIGEST/8" for SpMM
    /// with 8 dense columns; then "/f64" for another element type than float32, or "/f64-VALUES". The name of
    /// another kind than Sparse follows the digest.
    std::string key() const;
    /// The inverse, without the name. Nothing for a text that is no key.
    static std::optional<TargetId> fromKey(std::string_view key);

    bool operator==(const TargetId& other) const { return key() == other.key(); }
    /// Of the same contents, whatever is computed with them.
    bool sameContents(const TargetId& other) const;
    /// Whether times on the two can be compared: the same is computed, with whatever contents.
    bool sameVariant(const TargetId& other) const;
};

} // namespace sparserl

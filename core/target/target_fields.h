// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fields.h"
#include "target/target_id.h"

namespace sparserl {

/// The fields of a target, which are written inline in the record that has the target. With `whole`, also
/// writes the derived fields.
template <>
struct Fields<TargetId>
{
    static void of(auto& t, auto& field, bool whole = false)
    {
        field("target_kind", t.variant.kind, knownField(t.variant.kind != TargetKind::Sparse));
        field("matrix", t.contents);
        field("matrix_name", t.name);
        field("dense_columns", t.variant.columns, writtenIf(whole || t.variant.columns > 1));
        field("element_type", t.variant.type, knownField(t.variant.type != ElementType::F32));
        field("value_digest", t.values, knownField(!t.values.empty()));
        if (whole)
            field.derived("task", std::string(nameOf(t.task())));
    }
};

} // namespace sparserl

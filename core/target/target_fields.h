// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fields.h"
#include "target/target_id.h"

namespace sparserl {

/// A target's fields stand among those of the record that has it. `whole`: with what follows from others.
template <>
struct Fields<TargetId>
{
    static void of(auto& t, auto& field, bool whole = false)
    {
        field("target_kind", t.kind, writtenIf(t.kind != TargetKind::Sparse));
        field("matrix", t.digest);
        field("matrix_name", t.name);
        field("dense_columns", t.denseColumns, writtenIf(whole || t.denseColumns > 1));
        if (whole)
            field.derived("task", std::string(nameOf(t.task())));
    }
};

} // namespace sparserl

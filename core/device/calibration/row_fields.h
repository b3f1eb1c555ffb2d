// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/calibration/row.h"
#include "verdict/record_fields.h"

namespace sparserl {

/// All fields except resources and profile, which have names and versions of their own (row.cpp).
template <>
struct Fields<CalibrationRow>
{
    static void of(auto& r, auto& field)
    {
        field("matrix", r.target.name);
        field("digest", r.target.contents);
        field("rows", r.rows);
        field("cols", r.cols);
        field("nnz", r.nnz);
        field("dense_columns", r.target.variant.columns);
        field("element_type", r.target.variant.type, knownField(r.target.variant.type != ElementType::F32));
        field("family", r.family);
        field("parameters", r.parameters);
        field("program", r.program);
        field("device", r.device);
        field("correct", r.correct);
        field("problem", r.problem, writtenIf(!r.problem.empty()));
        field("warm", r.warm);
        field("cold", r.cold);
        field("clocks_agree", r.clocksAgree);
        field("setup_us", r.setupMicroseconds);
    }
};

} // namespace sparserl

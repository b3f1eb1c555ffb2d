// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fields.h"
#include "training/sft_data.h"

namespace sparserl {

/// Without its verdict, which is a record of its own.
template <>
struct Fields<SftExample>
{
    static void of(auto& e, auto& field)
    {
        field("matrix", e.matrixDigest);
        field("name", e.matrixName);
        field("held_out", e.heldOut);
        field("text", e.text);
        field("family", e.family);
        field("parameters", e.parameters);
    }
};

} // namespace sparserl

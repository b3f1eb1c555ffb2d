// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fields.h"
#include "training/data/sft_data.h"

namespace sparserl {

/// All fields except the verdict, which is a separate record in the file.
template <>
struct Fields<SftExample>
{
    static void of(auto& e, auto& field)
    {
        field("matrix", e.target.contents);
        field("name", e.target.name);
        field("held_out", e.heldOut);
        field("text", e.text);
        field("family", e.family);
        field("parameters", e.parameters);
        field("chosen", e.chosen);
        field("found", e.found);
    }
};

} // namespace sparserl

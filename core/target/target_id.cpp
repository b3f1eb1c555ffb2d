// SPDX-License-Identifier: Apache-2.0
#include "target/target_id.h"

namespace sparserl {

std::string TargetId::key() const
{
    return denseColumns > 1 ? digest + "/" + std::to_string(denseColumns) : digest;
}

} // namespace sparserl

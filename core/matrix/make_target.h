// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/target.h"

#include <string>
#include <utility>

namespace sparserl {

/// A matrix as what is asked for of it: its identity has the digests that the element type needs.
inline Target makeTarget(std::string name, std::shared_ptr<const Csr> matrix, const TargetVariant& variant)
{
    TargetId id{.contents = digest(*matrix), .name = std::move(name), .variant = variant};
    if (variant.type != ElementType::F32)
        id.values = doublesDigest(*matrix);
    return {std::move(id), std::move(matrix)};
}

} // namespace sparserl

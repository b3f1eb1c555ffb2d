// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/target.h"

#include <string>
#include <utility>

namespace sparserl {

/// Returns a target that consists of a matrix and a variant. Its identity includes the digests that the
/// element type requires.
inline Target makeTarget(std::string name, std::shared_ptr<const Csr> matrix, const TargetVariant& variant)
{
    TargetId id{.contents = digest(*matrix), .name = std::move(name), .variant = variant};
    if (variant.type != ElementType::F32)
        id.values = doublesDigest(*matrix);
    return {std::move(id), std::move(matrix)};
}

} // namespace sparserl

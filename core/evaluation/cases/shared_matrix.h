// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/protocol/shared_buffer.h"
#include "matrix/csr.h"

#include <memory>
#include <string>

namespace sparserl {

/// A matrix that runners can map, with its identity in their caches.
struct SharedMatrix
{
    std::string key;
    std::shared_ptr<const Csr> matrix;
    std::shared_ptr<SharedBuffer> buffer;

    static Result<SharedMatrix> make(std::string key, std::shared_ptr<const Csr> matrix);
};

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/shared_contents.h"
#include "matrix/csr.h"

#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// A matrix that runners can map.
struct SharedMatrix : SharedContents
{
    /// Returns the part for runners, without the matrix itself.
    const SharedContents& contentsAlone() const { return *this; }

    std::shared_ptr<const Csr> matrix;

    static Result<SharedMatrix> make(const std::string& key, std::shared_ptr<const Csr> matrix);
    /// Puts several matrices into one buffer. The file name identifies the contents of the buffer.
    static Result<std::vector<SharedMatrix>> makeAll(const std::string& file,
                                                     std::vector<std::shared_ptr<const Csr>> matrices);
};

} // namespace sparserl

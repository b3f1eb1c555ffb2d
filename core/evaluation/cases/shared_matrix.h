// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/protocol/shared_buffer.h"
#include "matrix/csr.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sparserl {

/// A matrix that runners can map, with its identity in their caches.
struct SharedMatrix
{
    std::string key;
    std::shared_ptr<const Csr> matrix;
    std::shared_ptr<SharedBuffer> buffer;
    std::string file; ///< Of the buffer, which may hold others as well.

    static Result<SharedMatrix> make(const std::string& key, std::shared_ptr<const Csr> matrix);
    /// Several in one buffer. The name of the file says what it holds.
    static Result<std::vector<SharedMatrix>> makeAll(const std::string& file,
                                                     std::vector<std::shared_ptr<const Csr>> matrices);
};

/// Files of a job, by name: each once.
using JobFiles = std::vector<std::pair<std::string, std::shared_ptr<SharedBuffer>>>;
void addFile(JobFiles& files, const SharedMatrix& matrix);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/protocol/shared_buffer.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// Matrices that a runner keeps between jobs, as they came in files.
class TakenMatrices
{
public:
    /// All matrices of a file of shared memory. Fails where one is damaged; then none of it is kept.
    Status take(const std::string& file, const SharedBuffer& buffer);
    /// Forgets all matrices of a file.
    void drop(const std::string& file) { m_files.erase(file); }
    /// nullptr where no file brought it.
    std::shared_ptr<const Csr> find(const std::string& key) const;

private:
    using Matrices = std::map<std::string, std::shared_ptr<const Csr>>; ///< By key.
    std::map<std::string, Matrices> m_files;
};

} // namespace sparserl

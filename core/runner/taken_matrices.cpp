// SPDX-License-Identifier: Apache-2.0
#include "runner/taken_matrices.h"

namespace sparserl {

Status TakenMatrices::take(const std::string& file, const SharedBuffer& buffer)
{
    SPARSERL_TRY(auto read, readSharedMatrices(buffer));
    Matrices taken;
    for (std::size_t i = 0; i < read.size(); ++i)
        taken[keyInFile(file, i, read.size())] = std::make_shared<const Csr>(std::move(read[i]));
    m_files[file] = std::move(taken);
    return {};
}

std::shared_ptr<const Csr> TakenMatrices::find(const std::string& key) const
{
    for (const auto& [file, matrices] : m_files)
        if (const auto found = matrices.find(key); found != matrices.end())
            return found->second;
    return nullptr;
}

} // namespace sparserl

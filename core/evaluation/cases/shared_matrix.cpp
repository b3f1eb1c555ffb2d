// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/shared_matrix.h"

#include "evaluation/protocol/shared_contents.h"

namespace sparserl {

Result<SharedMatrix> SharedMatrix::make(const std::string& key, std::shared_ptr<const Csr> matrix)
{
    SPARSERL_TRY(auto made, makeAll(key, {std::move(matrix)}));
    return std::move(made.front());
}

Result<std::vector<SharedMatrix>> SharedMatrix::makeAll(const std::string& file,
                                                        std::vector<std::shared_ptr<const Csr>> matrices)
{
    std::vector<Contents> contents;
    contents.reserve(matrices.size());
    for (const auto& matrix : matrices)
        contents.push_back({matrix});
    SPARSERL_TRY(auto shared, shareContents(contents));
    const auto buffer = std::make_shared<SharedBuffer>(std::move(shared));
    std::vector<SharedMatrix> made;
    made.reserve(matrices.size());
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        const SparseSizes sizes{matrices[i]->rows, matrices[i]->cols, matrices[i]->nnz()};
        made.push_back({{keyInFile(file, i, matrices.size()), buffer, file, sizes}, std::move(matrices[i])});
    }
    return made;
}

} // namespace sparserl

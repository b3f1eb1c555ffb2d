// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/shared_matrix.h"

#include <algorithm>

namespace sparserl {

Result<SharedMatrix> SharedMatrix::make(const std::string& key, std::shared_ptr<const Csr> matrix)
{
    SPARSERL_TRY(auto made, makeAll(key, {std::move(matrix)}));
    return std::move(made.front());
}

Result<std::vector<SharedMatrix>> SharedMatrix::makeAll(const std::string& file,
                                                        std::vector<std::shared_ptr<const Csr>> matrices)
{
    SPARSERL_TRY(auto shared, shareMatrices(matrices));
    const auto buffer = std::make_shared<SharedBuffer>(std::move(shared));
    std::vector<SharedMatrix> made;
    made.reserve(matrices.size());
    for (std::size_t i = 0; i < matrices.size(); ++i)
        made.push_back({keyInFile(file, i, matrices.size()), std::move(matrices[i]), buffer, file});
    return made;
}

void addFile(JobFiles& files, const SharedMatrix& matrix)
{
    if (std::none_of(files.begin(), files.end(), [&](const auto& file) { return file.first == matrix.file; }))
        files.emplace_back(matrix.file, matrix.buffer);
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/density.h"
#include "matrix/matrix_file.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// A folder of matrices by digest: DIGEST.csr with DIGEST.pyramid beside it, and DIGEST.doubles where floats
/// do not hold the values that were imported. Files appear whole or not at all. A file that holds another
/// matrix than its name says is refused.
class MatrixCache
{
public:
    explicit MatrixCache(std::filesystem::path folder);
    const std::filesystem::path& folder() const { return m_folder; }

    /// Stores a matrix with its pyramid unless it is there already; returns its digest. Its doubles take the
    /// place of others that round to the same floats: the last import counts.
    Result<std::string> store(const Csr& matrix) const;
    bool has(const std::string& digest) const;
    std::filesystem::path matrixPath(const std::string& digest) const;
    std::filesystem::path pyramidPath(const std::string& digest) const;
    std::filesystem::path doublesPath(const std::string& digest) const;
    /// `doubles`: with those that were stored (Csr::val64).
    Result<Csr> load(const std::string& digest, bool doubles = false) const;
    /// The matrix where it lies: nothing is read but what is looked at, so its own word for its digest is
    /// taken.
    Result<MappedMatrix> map(const std::string& digest) const;
    /// The stored pyramid; rebuilt from the matrix (and stored again) where it is missing or damaged.
    Result<DensityPyramid> loadPyramid(const std::string& digest) const;

private:
    std::filesystem::path m_folder;
};

} // namespace sparserl

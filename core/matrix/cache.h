// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/density.h"
#include "matrix/matrix_file.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// A folder of matrices that are stored by digest. DIGEST.csr is stored with DIGEST.pyramid and, if floats
/// cannot represent the imported values, with DIGEST.doubles. Each file appears complete or not at all. A
/// file whose matrix does not match the file's name is refused.
class MatrixCache
{
public:
    explicit MatrixCache(std::filesystem::path folder);
    const std::filesystem::path& folder() const { return m_folder; }

    /// Stores a matrix and its pyramid if they are not stored yet, and returns the digest. The matrix's
    /// doubles replace stored doubles that round to the same floats, so the last import wins. If it fails, it
    /// leaves nothing of a matrix that was not stored before: a full disk has room for others again.
    Result<std::string> store(const Csr& matrix) const;
    /// The same for a matrix whose digest is known.
    Status store(const Csr& matrix, const std::string& digest) const;
    /// Removes what store() wrote for a matrix, as far as it is there.
    void discard(const std::string& digest) const;
    bool has(const std::string& digest) const;
    std::filesystem::path matrixPath(const std::string& digest) const;
    std::filesystem::path pyramidPath(const std::string& digest) const;
    std::filesystem::path doublesPath(const std::string& digest) const;
    /// Loads a matrix. With `doubles`, also loads the stored doubles (Csr::val64).
    Result<Csr> load(const std::string& digest, bool doubles = false) const;
    /// Maps a matrix file into memory. Only the parts that are accessed are read, so the digest in the header
    /// is not verified.
    Result<MappedMatrix> map(const std::string& digest) const;
    /// Loads the stored pyramid. If it is missing or damaged, rebuilds it from the matrix and stores it.
    Result<DensityPyramid> loadPyramid(const std::string& digest) const;

private:
    Status write(const Csr& matrix, const std::string& digest) const;
    std::filesystem::path m_folder;
};

} // namespace sparserl

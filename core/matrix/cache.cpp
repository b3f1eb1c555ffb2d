// SPDX-License-Identifier: Apache-2.0
#include "matrix/cache.h"

#include "base/beneath.h"
#include "base/files.h"

namespace sparserl {

MatrixCache::MatrixCache(std::filesystem::path folder)
    : m_folder(std::move(folder))
{
}

std::filesystem::path MatrixCache::matrixPath(const std::string& digest) const
{
    return m_folder / (fileNameFor(digest) + ".csr");
}

std::filesystem::path MatrixCache::pyramidPath(const std::string& digest) const
{
    return m_folder / (fileNameFor(digest) + ".pyramid");
}

std::filesystem::path MatrixCache::doublesPath(const std::string& digest) const
{
    return m_folder / (fileNameFor(digest) + ".doubles");
}

bool MatrixCache::has(const std::string& digest) const
{
    return glance(matrixPath(digest)).regular;
}

void MatrixCache::discard(const std::string& digest) const
{
    std::error_code ignored;
    for (const auto& file : {matrixPath(digest), doublesPath(digest), pyramidPath(digest)})
        removeEntry(file, ignored);
}

Result<std::string> MatrixCache::store(const Csr& matrix) const
{
    std::string name = digest(matrix);
    SPARSERL_CHECK(store(matrix, name));
    return name;
}

Status MatrixCache::store(const Csr& matrix, const std::string& digest) const
{
    const bool known = has(digest);
    Status written = write(matrix, digest);
    if (!written && !known)
        discard(digest);
    return written;
}

Status MatrixCache::write(const Csr& matrix, const std::string& digest) const
{
    if (!glance(pyramidPath(digest)).regular) {
        SPARSERL_CHECK(writeFileAtomic(pyramidPath(digest), serialize(buildDensityPyramid(matrix))));
    }
    // The matrix last: where it is, its pyramid is.
    if (!has(digest)) {
        SPARSERL_CHECK(writeMatrixFile(matrixPath(digest), matrix, digest));
    }
    if (matrix.type == ElementType::F32 && !matrix.val64.empty()) {
        SPARSERL_CHECK(writeDoublesFile(doublesPath(digest), matrix.val64, digest));
    }
    return {};
}

Result<Csr> MatrixCache::load(const std::string& digest, bool doubles) const
{
    SPARSERL_TRY(auto matrix, readMatrixFile(matrixPath(digest)));
    if (sparserl::digest(matrix) != digest)
        return failAt(matrixPath(digest).string(), 0,
                      "this file holds a different matrix from the one its name says",
                      "Remove it and import the matrix again");
    if (doubles && glance(doublesPath(digest)).regular) {
        SPARSERL_TRY(matrix.val64, readDoublesFile(doublesPath(digest), digest, matrix));
    }
    return matrix;
}

Result<MappedMatrix> MatrixCache::map(const std::string& digest) const
{
    SPARSERL_TRY(auto matrix, MappedMatrix::open(matrixPath(digest)));
    if (matrix.digest() != digest)
        return failAt(matrixPath(digest).string(), 0,
                      "this file holds a different matrix from the one its name says",
                      "Remove it and import the matrix again");
    return matrix;
}

Result<DensityPyramid> MatrixCache::loadPyramid(const std::string& digest) const
{
    if (const auto bytes = readFile(pyramidPath(digest), std::uint64_t(64) << 20)) {
        if (auto pyramid = parseDensityPyramid(*bytes)) {
            return pyramid;
        }
    }
    SPARSERL_TRY(const auto matrix, map(digest));
    DensityPyramid pyramid = buildDensityPyramid(matrix.view());
    (void)writeFileAtomic(pyramidPath(digest), serialize(pyramid)); // Only a cache: it works without.
    return pyramid;
}

} // namespace sparserl

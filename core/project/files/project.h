// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "matrix/csr.h"
#include "matrix/read_warnings.h"
#include "verdict/names.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

struct MatrixFile;

/// A matrix entry in project.toml: a file or a generator's text.
struct MatrixEntry
{
    std::string name;
    std::string file;      ///< Relative to the project, or absolute; empty for generated ones.
    std::string generator; ///< "stencil2d(n=64,points=5)" (matrix/generators.h); empty for files.
    std::string split = split::train;
    std::string matrixClass; ///< "fem", "power-law", ...: free text, for filters and tables.
    std::string attribution; ///< Owner and licence of the matrix.
    std::string digest;      ///< Known after the first reading; verified on later ones.
};

/// Options of addMatrix.
struct AddMatrixOptions
{
    std::string name; ///< Default: the file's stem, made unique.
    std::string split = split::train;
    std::string matrixClass, attribution;
    bool copy = true; ///< Copies the file to matrices/; otherwise refers to it in place.
    CancelToken cancel;
    Progress progress;
    std::function<void(const MatrixWarning&)> onWarning; ///< Receives violations of the file format; may be
                                                         ///< empty.
};

/// A loaded matrix with its identity.
struct LoadedMatrix
{
    std::string name, digest;
    std::shared_ptr<const Csr> matrix;
    std::vector<MatrixWarning> warnings; ///< For its file, even if loaded from the cache.
};

/// A project directory: project.toml, matrices/, cache/, runs/, exports/, annotations.jsonl and the index
/// project.sqlite, which can always be rebuilt from the rest.
class Project
{
public:
    /// Creates the folder with an empty project.toml. Fails if it already contains a project.
    static Result<Project> create(const std::filesystem::path& path, const std::string& title = {});
    /// Fails with file and line if project.toml is missing or invalid. Changes nothing.
    static Result<Project> open(const std::filesystem::path& path);
    /// The project that contains `path` (itself or a parent folder), or an Error.
    static Result<Project> find(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return m_path; }
    const std::string& title() const { return m_title; }
    const std::vector<MatrixEntry>& matrices() const { return m_matrices; }
    const MatrixEntry* matrix(std::string_view name) const;
    const MatrixEntry* matrixByDigest(std::string_view digest) const;

    std::filesystem::path runsPath() const { return m_path / "runs"; }
    std::filesystem::path cachePath() const { return m_path / "cache"; }
    std::filesystem::path exportsPath() const { return m_path / "exports"; }
    std::filesystem::path indexPath() const { return m_path / "project.sqlite"; }
    std::filesystem::path
    thumbnailPath(std::string_view digest) const; ///< cache/DIGEST.png; may not exist yet.

    /// Validates a matrix file, caches it by digest, copies it if requested, and appends it to project.toml
    /// atomically. On failure the project is unchanged. Adding the same contents twice fails; the message
    /// names the entry.
    Result<MatrixEntry> addMatrix(const std::filesystem::path& file, const AddMatrixOptions& options = {});
    /// The same for a generator's text.
    Result<MatrixEntry> addGenerated(const std::string& generator, const AddMatrixOptions& options = {});
    /// Removes entries from the list, all or none. The files in matrices/ and the cache stay. Returns the
    /// entries for putBack().
    Result<std::vector<MatrixEntry>> removeMatrices(const std::vector<std::string>& names);
    /// Appends removed entries to the list again.
    Status putBack(const std::vector<MatrixEntry>& entries);
    /// Sets the splits of matrices by name, of all or of none.
    Status setSplits(const std::map<std::string, std::string>& splits);

    /// Loads a matrix from the cache if the cached data are known to match the source or this machine has no
    /// source. Otherwise loads it from the source and fills the cache. Fails if the source does not match
    /// project.toml. `doubles`: includes imported values that floats cannot represent (Csr::val64).
    Result<LoadedMatrix> load(const MatrixEntry& entry, const CancelToken& cancel = {},
                              const Progress& progress = {}, bool doubles = false);
    Result<std::shared_ptr<const Csr>> loadByDigest(const std::string& digest, bool doubles = false);
    /// Loads all matrices of one split ("" for all). An unreadable matrix fails the call; the message names
    /// it.
    Result<std::vector<LoadedMatrix>> loadSplit(const std::string& split, const CancelToken& cancel = {},
                                                const Progress& progress = {});

    std::vector<std::filesystem::path>
    runDirectories() const; ///< Folders under runs/ with a run.toml, by name.
    /// "runs/NNNN-STAGE" with the next free number. Creates nothing.
    std::filesystem::path newRunPath(const std::string& stage) const;

    /// JSON of matrix/features.h for a matrix that was read before, or empty.
    std::string featuresJson(const std::string& digest) const;
    /// Recomputes the features of a cached matrix if an older version omitted some.
    Status completeFeatures(const std::string& digest) const;

private:
    Status readFrom(const std::filesystem::path& file);
    Status rewrite(const std::function<Status(std::vector<MatrixEntry>&)>& change);
    Result<MatrixEntry> add(MatrixEntry entry, const MatrixFile& matrix,
                            const std::filesystem::path& copyFrom);
    Status remember(const MatrixEntry& entry, const MatrixFile& matrix, const std::string& digest);
    std::vector<MatrixWarning> warningsOf(const MatrixEntry& entry) const;
    void recallDigests();
    /// Whether an entry's digest is known to match the current source, because this machine read that source.
    bool isOfItsSource(const MatrixEntry& entry) const;
    std::filesystem::path m_path;
    std::string m_title;
    std::vector<MatrixEntry> m_matrices;
};

} // namespace sparserl

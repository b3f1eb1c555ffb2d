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

/// A matrix in project.toml. Its source is a file or the text of a generator.
struct MatrixEntry
{
    std::string name;
    std::string file;      ///< Path, absolute or relative to the project; empty for a generated matrix.
    std::string generator; ///< For example "stencil2d(n=64,points=5)" (matrix/generators.h); empty if there
                           ///< is a file.
    std::string split = split::train;
    std::string matrixClass; ///< Any text, such as "fem" or "power-law", for filters and tables.
    std::string attribution; ///< Owner and licence of the matrix.
    std::string digest; ///< Digest of the contents. Set when the matrix is first read, and verified when it
                        ///< is read again.
};

/// Options of Project::addMatrix().
struct AddMatrixOptions
{
    std::string name; ///< Empty: the file's name without its suffix, made unique.
    std::string split = split::train;
    std::string matrixClass, attribution;
    /// Copy the file to matrices/; otherwise, the entry refers to the file at its own place.
    bool copy = true;
    CancelToken cancel;
    Progress progress;
    /// Called for each violation of the file format; may be empty.
    std::function<void(const MatrixWarning&)> onWarning;
};

/// A loaded matrix with its name and digest.
struct LoadedMatrix
{
    std::string name, digest;
    std::shared_ptr<const Csr> matrix;
    /// Warnings about its file, even if the matrix was loaded from the cache.
    std::vector<MatrixWarning> warnings;
};

/// A project directory. It contains project.toml, matrices/, cache/, runs/, exports/, annotations.jsonl and
/// the index project.sqlite, which can always be rebuilt from the other files.
class Project
{
public:
    /// Creates the folder with a project.toml without matrices. Fails if it already contains a project.
    static Result<Project> create(const std::filesystem::path& path, const std::string& title = {});
    /// Opens a project and changes nothing. Fails with file and line if project.toml is missing or invalid.
    static Result<Project> open(const std::filesystem::path& path);
    /// Opens the project in the folder `path` or in the nearest folder above it. Fails if there is none.
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
    /// Returns the path of cache/DIGEST.png, which may not exist yet.
    std::filesystem::path thumbnailPath(std::string_view digest) const;

    /// Adds a matrix file to the project: validates it, caches it by digest, copies it if requested, and
    /// appends it to project.toml atomically. On failure, the project is unchanged. Fails if the project
    /// already has a matrix with the same contents, and names that entry.
    Result<MatrixEntry> addMatrix(const std::filesystem::path& file, const AddMatrixOptions& options = {});
    /// Adds a matrix that a generator makes, in the same way. `generator` is the generator's text.
    Result<MatrixEntry> addGenerated(const std::string& generator, const AddMatrixOptions& options = {});
    /// Removes matrices from project.toml, either all of them or none. Their files in matrices/ and in the
    /// cache stay. Returns the entries, for putBack().
    Result<std::vector<MatrixEntry>> removeMatrices(const std::vector<std::string>& names);
    /// Appends entries from removeMatrices() to project.toml again.
    Status putBack(const std::vector<MatrixEntry>& entries);
    /// Sets the splits of matrices, by the names of the matrices, either for all of them or for none.
    Status setSplits(const std::map<std::string, std::string>& splits);

    /// Loads a matrix. Uses the cache if its data are known to match the source, or if the source is not on
    /// this machine. Otherwise, reads the source and fills the cache. Fails if the source does not match the
    /// digest in project.toml. With `doubles`, also loads the values in double precision if floats cannot
    /// represent them (Csr::val64).
    Result<LoadedMatrix> load(const MatrixEntry& entry, const CancelToken& cancel = {},
                              const Progress& progress = {}, bool doubles = false);
    Result<std::shared_ptr<const Csr>> loadByDigest(const std::string& digest, bool doubles = false);
    /// Loads all matrices of a split, or of all splits if `split` is empty. Fails if one of them cannot be
    /// loaded, and names it.
    Result<std::vector<LoadedMatrix>> loadSplit(const std::string& split, const CancelToken& cancel = {},
                                                const Progress& progress = {});

    /// Returns the folders below runs/ that contain a run.toml, sorted by name.
    std::vector<std::filesystem::path> runDirectories() const;
    /// Returns the path "runs/NNNN-STAGE" with the next free number. Creates nothing.
    std::filesystem::path newRunPath(const std::string& stage) const;

    /// Returns the features (matrix/features.h) of a matrix as JSON, or an empty text if the matrix has never
    /// been read.
    std::string featuresJson(const std::string& digest) const;
    /// Computes the features of a cached matrix again if an older version has stored only some of them.
    Status completeFeatures(const std::string& digest) const;

private:
    Status readFrom(const std::filesystem::path& file);
    Status rewrite(const std::function<Status(std::vector<MatrixEntry>&)>& change);
    Result<MatrixEntry> add(MatrixEntry entry, const MatrixFile& matrix,
                            const std::filesystem::path& copyFrom);
    Status remember(const MatrixEntry& entry, const MatrixFile& matrix, const std::string& digest);
    std::vector<MatrixWarning> warningsOf(const MatrixEntry& entry) const;
    void recallDigests();
    /// Returns whether the cache may stand for an entry's source: this machine has read the source in its
    /// present state and found the entry's digest, or the source is not on this machine.
    bool isOfItsSource(const MatrixEntry& entry) const;
    std::filesystem::path m_path;
    std::string m_title;
    std::vector<MatrixEntry> m_matrices;
};

} // namespace sparserl

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

/// A matrix as project.toml lists it: a file or a generator's text.
struct MatrixEntry
{
    std::string name;
    std::string file;      ///< Relative to the project, or absolute; empty for generated ones.
    std::string generator; ///< "stencil2d(n=64,points=5)" (matrix/generators.h); empty for files.
    std::string split = split::train;
    std::string matrixClass; ///< "fem", "power-law", ...: free text, for filters and tables.
    std::string attribution; ///< Whose matrix it is, and under which licence.
    std::string digest;      ///< Known once it has been read; checked when it is read again.
};

/// How addMatrix is to import.
struct AddMatrixOptions
{
    std::string name; ///< Default: the file's stem, made unique.
    std::string split = split::train;
    std::string matrixClass, attribution;
    bool copy = true; ///< Copy the file to matrices/; else refer to it where it is.
    CancelToken cancel;
    Progress progress;
    std::function<void(const MatrixWarning&)> onWarning; ///< What the file's format forbids; may be empty.
};

/// A matrix that was read, with its identity.
struct LoadedMatrix
{
    std::string name, digest;
    std::shared_ptr<const Csr> matrix;
    std::vector<MatrixWarning> warnings; ///< Of its file, also where it came from the cache.
};

/// A project directory: project.toml, matrices/, cache/, runs/, exports/, annotations.jsonl and the index
/// project.sqlite, which can always be rebuilt from the rest.
class Project
{
public:
    /// Makes the folder with an empty project.toml. Fails if there is already a project here.
    static Result<Project> create(const std::filesystem::path& path, const std::string& title = {});
    /// Fails with file and line if project.toml is missing or broken; changes nothing.
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

    /// Reads and validates the file, caches it by digest, copies it if asked, and appends it to project.toml
    /// atomically. On any failure the project is as before. Adding the same content twice fails, naming the
    /// entry.
    Result<MatrixEntry> addMatrix(const std::filesystem::path& file, const AddMatrixOptions& options = {});
    /// The same for a generator's text.
    Result<MatrixEntry> addGenerated(const std::string& generator, const AddMatrixOptions& options = {});
    /// Takes them off the list, all or none; the files under matrices/ and the cache stay. Gives their
    /// entries, for putBack().
    Result<std::vector<MatrixEntry>> removeMatrices(const std::vector<std::string>& names);
    /// Lists again, at the end, what was taken off.
    Status putBack(const std::vector<MatrixEntry>& entries);
    /// Name -> split; all or none.
    Status setSplits(const std::map<std::string, std::string>& splits);

    /// From the cache if it is there and known to be what its source holds (or there is no source here), else
    /// from the source; fills the cache. Fails if the source does not hold what project.toml says.
    /// `doubles`: with what floats cannot hold, where it was imported (Csr::val64).
    Result<LoadedMatrix> load(const MatrixEntry& entry, const CancelToken& cancel = {},
                              const Progress& progress = {}, bool doubles = false);
    Result<std::shared_ptr<const Csr>> loadByDigest(const std::string& digest, bool doubles = false);
    /// All of one split ("" for all). One that cannot be read fails the call with its name.
    Result<std::vector<LoadedMatrix>> loadSplit(const std::string& split, const CancelToken& cancel = {},
                                                const Progress& progress = {});

    std::vector<std::filesystem::path>
    runDirectories() const; ///< Folders under runs/ with a run.toml, by name.
    /// "runs/NNNN-STAGE", the next free number; makes nothing.
    std::filesystem::path newRunPath(const std::string& stage) const;

    /// JSON of matrix/features.h for a matrix that has been read once, or empty.
    std::string featuresJson(const std::string& digest) const;
    /// Computes the features of a matrix in the cache again where an older version left some of them out.
    Status completeFeatures(const std::string& digest) const;

private:
    Status readFrom(const std::filesystem::path& file);
    Status rewrite(const std::function<Status(std::vector<MatrixEntry>&)>& change);
    Result<MatrixEntry> add(MatrixEntry entry, const MatrixFile& matrix,
                            const std::filesystem::path& copyFrom);
    Status remember(const MatrixEntry& entry, const MatrixFile& matrix, const std::string& digest);
    std::vector<MatrixWarning> warningsOf(const MatrixEntry& entry) const;
    void recallDigests();
    /// Whether an entry's digest is that of its source as it is now: found here when the source was read.
    bool isOfItsSource(const MatrixEntry& entry) const;
    std::filesystem::path m_path;
    std::string m_title;
    std::vector<MatrixEntry> m_matrices;
};

} // namespace sparserl

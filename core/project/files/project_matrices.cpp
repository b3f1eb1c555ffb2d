// SPDX-License-Identifier: Apache-2.0
// The matrix library of a project: import, cache, load.
#include "base/beneath.h"
#include "base/control_file.h"
#include "base/files.h"
#include "base/free_name.h"
#include "base/interruption.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/printable.h"
#include "base/seal.h"
#include "base/source_name.h"
#include "base/trust.h"
#include "matrix/cache.h"
#include "matrix/features.h"
#include "matrix/file_names.h"
#include "matrix/generate.h"
#include "matrix/matrix_list.h"
#include "matrix/read.h"
#include "project/files/file_handle.h"
#include "project/files/project.h"
#include "project/files/project_file.h"
#include "project/files/unlisted.h"
#include "verdict/names.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view sourcesSeal = "sources";

/// Other holders keep the lock for as long as it takes to write a small file.
Result<FileLock> lockProject(const fs::path& project)
{
    SPARSERL_TRY(auto lock, FileLock::awaitLock(project / "project.lock"));
    if (!lock)
        return failAt(project.string(), 0, "another program is changing this project",
                      "Try again in a moment");
    return std::move(*lock);
}

/// "bcsstk01" of "bcsstk01.mtx.gz".
std::string stemOf(const fs::path& file)
{
    const std::string name = file.filename().string(), stem = withoutMatrixEndings(name);
    std::string own = displayName(stem == name ? file.stem().string() : stem);
    return matrixNameFault(own).empty() ? own : "file-" + own; // "file-stencil2d(n=40)"
}

/// Fails where an entry cannot have the name that somebody wants for it.
Status checkName(const MatrixEntry& entry)
{
    const std::string fault = matrixNameFault(entry.name, entry.generator);
    if (fault.empty())
        return {};
    return fail(fmt::format("\"{}\" is {}", shortened(entry.name, 100), fault), "Choose another name");
}

/// Whether a matrix's file lies outside of the project, which only the user's own projects may name.
bool isElsewhere(const fs::path& project, const MatrixEntry& entry)
{
    const fs::path inside = (project / entry.file).lexically_normal().lexically_relative(project);
    return inside.empty() || *inside.begin() == "..";
}

/// How a source is recognised without reading it: generators by text, files by path, size and time.
nlohmann::json sourceStamp(const fs::path& project, const MatrixEntry& entry)
{
    if (!entry.generator.empty())
        return {{"generator", entry.generator}};
    const fs::path file = project / entry.file; // an absolute path stays itself
    if (isElsewhere(project, entry) && !requireTrust(project))
        return nullptr;
    const Entry look = glance(file);
    if (!look.regular)
        return nullptr;
    // As std::filesystem counts it with GCC, from 2174 on: so do the files that are there.
    constexpr std::int64_t epoch = 6'437'664'000'000'000'000;
    return {{"file", entry.file}, {"size", look.bytes}, {"time", look.modified - epoch}};
}

/// What a generator of a project that is not trusted may take: one line of its text asks for any amount.
constexpr std::int64_t untrustedBytes = std::int64_t(64) << 20;

/// And a file: a few bytes of its head ask for any number of rows, so it may take some times its size.
std::int64_t untrustedBytesOf(const Entry& file)
{
    constexpr std::uint64_t mostBytes = std::uint64_t(1) << 30, timesItsSize = 16;
    return std::max(untrustedBytes,
                    static_cast<std::int64_t>(timesItsSize * std::min(file.bytes, mostBytes / timesItsSize)));
}

Result<MatrixFile> readSource(const fs::path& project, const MatrixEntry& entry, const CancelToken& cancel,
                              const Progress& progress)
{
    if (!entry.generator.empty()) {
        const auto trusted = requireTrust(project);
        auto matrix = generate(entry.generator, trusted ? 0 : untrustedBytes);
        if (!matrix)
            return fail({fmt::format("matrix \"{}\": {}", entry.name, matrix.error().what),
                         {},
                         0,
                         trusted ? matrix.error().remedy : trusted.error().remedy});
        return MatrixFile{std::move(*matrix), {}};
    }
    const fs::path file = (project / entry.file).lexically_normal();
    if (isElsewhere(project, entry))
        SPARSERL_CHECK(requireTrust(project));
    // Nobody has named it just now: a pipe or a terminal would be waited for whenever the project is opened.
    SPARSERL_TRY(const auto there, lookAt(file));
    if (there.exists && !there.regular && !there.link)
        return failAt(file.string(), 0,
                      fmt::format("this is {}, not a file, and the matrix \"{}\" cannot be read from it",
                                  there.folder ? "a folder" : "a pipe or a device", entry.name),
                      "Restore the file, or remove the matrix from the project");
    const auto trusted = requireTrust(project);
    auto read = readMatrix(file, {cancel, progress, {}, trusted ? 0 : untrustedBytesOf(there), true});
    if (!read && !trusted && read.error().kind == ErrorKind::OutOfMemory)
        read.error().remedy = trusted.error().remedy;
    return read;
}

/// What was found here of the sources of a project's matrices, by name; an object. Of a file that is not of
/// this user's making only the warnings: they are read, and nothing follows from them.
Result<nlohmann::json> readSources(const fs::path& cache)
{
    const fs::path file = cache / "sources.json";
    if (auto own = readSealedJson(file, sourcesSeal); own && own->is_object())
        return std::move(*own);
    SPARSERL_TRY(const auto there, lookAt(file));
    nlohmann::json sources = nlohmann::json::object();
    if (!there.exists)
        return sources;
    // What cannot be read now is not to be written over. What is no JSON holds nothing.
    SPARSERL_TRY(const auto text, readControlFile(file));
    const auto known = parseJson(text);
    if (known && known->is_object())
        for (const auto& [name, item] : known->items())
            if (item.is_object() && item.contains("warnings"))
                sources[name] = {{"warnings", item["warnings"]}};
    return sources;
}

/// What is known of one of them; an object.
nlohmann::json sourceOf(const fs::path& cache, const std::string& name)
{
    const auto sources = readSources(cache);
    const auto it = sources ? sources->find(name) : nlohmann::json::const_iterator();
    return sources && it != sources->end() && it->is_object() ? *it : nlohmann::json::object();
}

fs::path featuresFile(const fs::path& cache, const std::string& digest)
{
    return cache / (fileNameFor(digest) + ".features.json");
}

std::string featuresSeal(const std::string& digest)
{
    return "features " + digest;
}

/// Features that were kept. Where nobody trusts the project, all that it says is its sender's word, and is
/// only shown.
Result<nlohmann::json> readFeatures(const fs::path& project, const fs::path& cache, const std::string& digest)
{
    const fs::path file = featuresFile(cache, digest);
    return requireTrust(project) ? readSealedJson(file, featuresSeal(digest)) : readControlJson(file);
}

/// Whether what floats cannot hold is what the matrix's source held when it was read here. Where there is no
/// source here, the cache stands for it.
bool areItsDoubles(const fs::path& project, const fs::path& cache, const MatrixEntry& entry,
                   const Csr& matrix)
{
    const auto item = sourceOf(cache, entry.name);
    if (sourceStamp(project, entry).is_null())
        return true;
    return jsonValue<std::string>(item, "doubles", "?") == doublesDigest(matrix);
}

Result<std::vector<MatrixEntry>::iterator> findEntry(std::vector<MatrixEntry>& entries,
                                                     const std::string& name)
{
    const auto it = std::find_if(entries.begin(), entries.end(),
                                 [&](const MatrixEntry& entry) { return entry.name == name; });
    if (it == entries.end())
        return fail(fmt::format("there is no matrix named \"{}\"", name));
    return it;
}

} // namespace

void Project::recallDigests()
{
    const auto known = readSources(cachePath());
    if (!known)
        return;
    for (MatrixEntry& entry : m_matrices) {
        if (!entry.digest.empty())
            continue;
        const auto it = known->find(entry.name);
        if (it != known->end() && it->is_object() && it->contains("stamp") &&
            (*it)["stamp"] == sourceStamp(m_path, entry))
            entry.digest = jsonValue<std::string>(*it, "digest", {});
    }
}

std::vector<MatrixWarning> Project::warningsOf(const MatrixEntry& entry) const
{
    const auto item = sourceOf(cachePath(), entry.name);
    return item.contains("warnings") ? warningsFromJson(item["warnings"]) : std::vector<MatrixWarning>();
}

Status Project::remember(const MatrixEntry& entry, const MatrixFile& matrix, const std::string& digest)
{
    if (const auto before = readFeatures(m_path, cachePath(), digest); !before || lacksFeatures(*before)) {
        SPARSERL_CHECK(writeSealedJson(featuresFile(cachePath(), digest), featuresSeal(digest),
                                       toJson(computeFeatures(matrix.matrix))));
    }
    SPARSERL_TRY(auto lock, lockProject(m_path));
    SPARSERL_TRY(auto sources, readSources(cachePath()));
    nlohmann::json item = {
        {"stamp", sourceStamp(m_path, entry)}, {"digest", digest}, {"doubles", doublesDigest(matrix.matrix)}};
    if (!matrix.source.warnings.empty())
        item["warnings"] = toJson(matrix.source.warnings);
    if (sources.contains(entry.name) && sources[entry.name] == item)
        return {};
    sources[entry.name] = item;
    return writeSealedJson(cachePath() / "sources.json", sourcesSeal, std::move(sources));
}

Status Project::completeFeatures(const std::string& digest) const
{
    if (const auto before = readFeatures(m_path, cachePath(), digest); before && !lacksFeatures(*before))
        return {};
    SPARSERL_TRY(const auto matrix, MatrixCache(cachePath()).load(digest));
    return writeSealedJson(featuresFile(cachePath(), digest), featuresSeal(digest),
                           toJson(computeFeatures(matrix)));
}

std::string Project::featuresJson(const std::string& digest) const
{
    if (digest.empty())
        return {};
    const auto json = readFeatures(m_path, cachePath(), digest);
    return json ? dumpJson(*json) : std::string();
}

Result<MatrixEntry> Project::add(MatrixEntry entry, const MatrixFile& matrix, const fs::path& copyFrom)
{
    const MatrixCache cache(cachePath());
    entry.digest = digest(matrix.matrix);
    const bool known = cache.has(entry.digest);
    SPARSERL_CHECK(cache.store(matrix.matrix, entry.digest));
    auto added = [&]() -> Result<MatrixEntry> {
        fs::path copied;
        {
            SPARSERL_TRY(auto lock, lockProject(m_path));
            // Another process may have added matrices since we read the file.
            const fs::path file = m_path / "project.toml";
            SPARSERL_CHECK(readFrom(file));
            if (const MatrixEntry* same = matrixByDigest(entry.digest))
                return fail(fmt::format("this matrix is in the project already, as \"{}\"", same->name));
            entry.name = firstFree(std::string(entry.name),
                                   [&](const std::string& name) { return this->matrix(name) != nullptr; });
            std::error_code code;
            if (!copyFrom.empty()) {
                SPARSERL_CHECK(makeDirectories(m_path / "matrices"));
                SPARSERL_TRY(const auto bytes, readFile(copyFrom, std::uint64_t(4) << 30));
                // What an import left that was killed before it listed its file is taken up.
                const auto place =
                    placeFor(m_path, m_matrices, copyName(copyFrom.filename().string()), bytes);
                if (!place.present) {
                    SPARSERL_CHECK(writeFileAtomic(place.path, bytes));
                    copied = place.path;
                }
                entry.file = fs::path("matrices") / place.path.filename();
            }
            const auto text = readControlFile(file);
            Status status = text ? Status() : fail(text.error());
            if (status) {
                const std::string longer = withMatrix(*text, entry);
                const auto check = parseProjectFile(longer, file.string());
                status = check ? writeFileAtomic(file, longer) : fail(check.error());
            }
            if (!status) {
                // The list may have got into its place before something failed: then the file must stay.
                const bool unlisted = readFrom(file) && matrixByDigest(entry.digest) == nullptr;
                if (!copied.empty() && unlisted)
                    removeEntry(copied, code);
                return fail(status.error());
            }
            if (status = readFrom(file); !status)
                return fail(status.error());
        }
        SPARSERL_CHECK(remember(entry, matrix, entry.digest));
        return entry;
    }();
    // On a full disk, a smaller matrix may have room after this one was refused.
    if (!added && !known && matrixByDigest(entry.digest) == nullptr)
        cache.discard(entry.digest);
    return added;
}

Result<MatrixEntry> Project::addMatrix(const fs::path& file, const AddMatrixOptions& options)
{
    if (!split::known(options.split))
        return fail(fmt::format("\"{}\" is no split", options.split), "Use \"train\" or \"held-out\"");
    std::error_code code;
    if (!options.copy && !isUtf8(fs::absolute(file, code).string()))
        return failAt(file.string(), 0, "project.toml cannot refer to this file: its path is not UTF-8",
                      "Rename it, or let the project copy it");
    SPARSERL_TRY(auto read, readMatrix(file, {options.cancel, options.progress, options.onWarning, 0, true}));
    MatrixEntry entry;
    entry.name = options.name.empty() ? stemOf(file) : displayName(options.name);
    SPARSERL_CHECK(checkName(entry));
    entry.file = fs::absolute(file, code).lexically_normal().string();
    entry.split = options.split;
    entry.matrixClass = options.matrixClass;
    entry.attribution = options.attribution;
    return add(std::move(entry), read, options.copy ? file : fs::path());
}

Result<MatrixEntry> Project::addGenerated(const std::string& generator, const AddMatrixOptions& options)
{
    if (!split::known(options.split))
        return fail(fmt::format("\"{}\" is no split", options.split), "Use \"train\" or \"held-out\"");
    MatrixEntry entry;
    entry.name = displayName(options.name.empty() ? generator.substr(0, generator.find('(')) : options.name);
    entry.generator = generator;
    SPARSERL_CHECK(checkName(entry));
    SPARSERL_TRY(auto matrix, generate(generator));
    if (options.cancel.cancelled())
        return fail(interruption());
    entry.split = options.split;
    entry.matrixClass = options.matrixClass;
    entry.attribution = options.attribution;
    return add(std::move(entry), MatrixFile{std::move(matrix), {}}, {});
}

Status Project::rewrite(const std::function<Status(std::vector<MatrixEntry>&)>& change)
{
    SPARSERL_TRY(auto lock, lockProject(m_path));
    const fs::path file = m_path / "project.toml";
    SPARSERL_TRY(const auto text, readControlFile(file));
    SPARSERL_TRY(auto parsed, parseProjectFile(text, file.string()));
    SPARSERL_CHECK(change(parsed.matrices));
    SPARSERL_CHECK(writeFileAtomic(file, formatProjectFile(parsed)));
    return readFrom(file);
}

Result<std::vector<MatrixEntry>> Project::removeMatrices(const std::vector<std::string>& names)
{
    std::vector<MatrixEntry> removed;
    SPARSERL_CHECK(rewrite([&](std::vector<MatrixEntry>& entries) -> Status {
        for (const std::string& name : names) {
            SPARSERL_TRY(const auto it, findEntry(entries, name));
            removed.push_back(std::move(*it));
            entries.erase(it);
        }
        return {};
    }));
    return removed;
}

Status Project::putBack(const std::vector<MatrixEntry>& removed)
{
    return rewrite([&](std::vector<MatrixEntry>& entries) -> Status {
        for (const MatrixEntry& entry : removed) {
            if (findEntry(entries, entry.name))
                return fail(fmt::format("there is a matrix named \"{}\" again", entry.name),
                            "Rename one of them");
            entries.push_back(entry);
        }
        return {};
    });
}

Status Project::setSplits(const std::map<std::string, std::string>& splits)
{
    for (const auto& [name, split] : splits)
        if (!split::known(split))
            return fail(fmt::format("\"{}\" is no split", split), "Use \"train\" or \"held-out\"");
    return rewrite([&](std::vector<MatrixEntry>& entries) -> Status {
        for (const auto& [name, split] : splits) {
            SPARSERL_TRY(const auto it, findEntry(entries, name));
            it->split = split;
        }
        return {};
    });
}

bool Project::isOfItsSource(const MatrixEntry& entry) const
{
    const auto stamp = sourceStamp(m_path, entry);
    if (stamp.is_null())
        return true; // on another machine, say: what is in the cache stands for it
    if (!requireTrust(m_path))
        return false; // its sender may have written anything into the cache
    const auto item = sourceOf(cachePath(), entry.name);
    return item.contains("stamp") && item["stamp"] == stamp &&
           jsonValue<std::string>(item, "digest", {}) == entry.digest;
}

Result<LoadedMatrix> Project::load(const MatrixEntry& entry, const CancelToken& cancel,
                                   const Progress& progress, bool doubles)
{
    const MatrixCache cache(cachePath());
    // A cache of before doubles were kept does not say whether there are any: the source does.
    const bool askSource = doubles && !entry.digest.empty() && entry.generator.empty() &&
                           !glance(cache.doublesPath(entry.digest)).exists &&
                           glance((m_path / entry.file).lexically_normal()).regular;
    bool isOtherMatrix = false;
    if (!entry.digest.empty() && cache.has(entry.digest) && !askSource && isOfItsSource(entry)) {
        // A damaged cache file is no reason to stop: the source is still there.
        auto matrix = cache.load(entry.digest, doubles);
        if (matrix && (!doubles || areItsDoubles(m_path, cachePath(), entry, *matrix)))
            return LoadedMatrix{entry.name, entry.digest, std::make_shared<const Csr>(std::move(*matrix)),
                                warningsOf(entry)};
        isOtherMatrix = !matrix;
    }
    SPARSERL_TRY(auto file, readSource(m_path, entry, cancel, progress));
    const std::string found = digest(file.matrix);
    if (!entry.digest.empty() && entry.digest != found)
        return failAt(
            entry.generator.empty() ? (m_path / entry.file).string() : std::string(), 0,
            fmt::format("matrix \"{}\" is not what project.toml says: its contents changed, or the digest "
                        "there is of another matrix",
                        entry.name),
            "Restore the file, or remove the matrix from the project and import it again");
    if (requireTrust(m_path)) { // else it is read anew each time
        std::error_code ignored;
        if (isOtherMatrix) // a damaged file, or one that somebody laid there
            removeEntry(cache.matrixPath(found), ignored);
        SPARSERL_CHECK(cache.store(file.matrix, found));
        SPARSERL_CHECK(remember(entry, file, found));
    }
    for (MatrixEntry& known : m_matrices) {
        if (known.name == entry.name)
            known.digest = found;
    }
    if (!doubles)
        file.matrix.val64 = {};
    return LoadedMatrix{entry.name, found, std::make_shared<const Csr>(std::move(file.matrix)),
                        std::move(file.source.warnings)};
}

Result<std::shared_ptr<const Csr>> Project::loadByDigest(const std::string& digest, bool doubles)
{
    if (const MatrixEntry* entry = matrixByDigest(digest)) {
        SPARSERL_TRY(auto loaded, load(MatrixEntry(*entry), {}, {}, doubles));
        return loaded.matrix;
    }
    SPARSERL_TRY(auto matrix, MatrixCache(cachePath()).load(digest, doubles));
    return std::make_shared<const Csr>(std::move(matrix));
}

Result<std::vector<LoadedMatrix>> Project::loadSplit(const std::string& split, const CancelToken& cancel,
                                                     const Progress& progress)
{
    std::vector<MatrixEntry> wanted; // copies: load() changes the list
    std::copy_if(m_matrices.begin(), m_matrices.end(), std::back_inserter(wanted),
                 [&](const MatrixEntry& entry) { return split.empty() || entry.split == split; });
    std::vector<LoadedMatrix> loaded;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (cancel.cancelled())
            return fail(interruption());
        if (progress)
            progress(static_cast<double>(i) / static_cast<double>(wanted.size()),
                     "reading " + wanted[i].name);
        SPARSERL_TRY(auto matrix, load(wanted[i], cancel));
        loaded.push_back(std::move(matrix));
    }
    return loaded;
}

} // namespace sparserl

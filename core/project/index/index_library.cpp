// SPDX-License-Identifier: Apache-2.0
#include "project/index/index_library.h"

#include "base/beneath.h"
#include "base/control_file.h"
#include "base/files.h"
#include "base/interruption.h"
#include "base/json.h"
#include "base/time.h"
#include "matrix/features.h"
#include "matrix/matrix_list.h"
#include "project/files/annotations.h"
#include "project/files/project.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace sparserl {

namespace fs = std::filesystem;

std::string stampOf(const std::vector<fs::path>& files)
{
    std::string stamp;
    for (const fs::path& file : files) {
        const Entry look = glance(file);
        stamp += look.exists ? fmt::format("{}:{};", look.folder ? 0 : look.bytes, look.modified) : "-;";
    }
    return stamp;
}

bool unchanged(sql::Database& db, const char* key, const std::string& stamp)
{
    auto known = db.prepare("SELECT value FROM meta WHERE key=?");
    known.bind(key);
    return known.step() && known.text(0) == stamp;
}

void remember(sql::Database& db, const char* key, const std::string& stamp)
{
    db.prepare("INSERT OR REPLACE INTO meta VALUES (?,?)").bindAll(key, stamp).run();
}

bool indexMatrices(sql::Database& db, const fs::path& path, std::vector<std::string>& problems)
{
    // The number in front grows when rows are made in another way.
    const std::string stamp = "2;" + stampOf({path / "project.toml", path / "cache" / "sources.json"});
    if (unchanged(db, "matrices", stamp))
        return false;
    const auto project = Project::open(path);
    if (!project) {
        problems.push_back(project.error().sentence());
        return false;
    }
    // What could not be read stays known while the list is written anew, and features, which belong to the
    // contents, need no second look at their files: an import of a thousand matrices comes here often.
    std::map<std::string, std::string> known, features;
    {
        auto rows = db.prepare("SELECT name, problem, digest, features FROM matrix");
        while (rows.step()) {
            if (std::string problem = rows.text(1); !problem.empty())
                known[rows.text(0)] = std::move(problem);
            if (std::string text = rows.text(3); !text.empty())
                features[rows.text(2)] = std::move(text);
        }
    }
    sql::Transaction transaction(db);
    db.execute("DELETE FROM matrix");
    auto insert =
        db.prepare("INSERT INTO matrix (name, digest, split, class, attribution, source, rows, cols, nnz, "
                   "features, problem) VALUES (?,?,?,?,?,?,?,?,?,?,?)");
    for (const MatrixEntry& entry : project->matrices()) {
        const auto had = features.find(entry.digest);
        const std::string text = had != features.end() ? had->second : project->featuresJson(entry.digest);
        const auto json = parseJson(text.empty() ? "{}" : text);
        const auto number = [&](const char* key) {
            return json ? jsonValue<std::int64_t>(*json, key, 0) : 0;
        };
        // A class by structure for those to whom nobody has given one.
        std::string structure = entry.matrixClass;
        if (structure.empty() && json)
            if (const auto values = featuresFromJson(*json))
                structure = structureClass(*values);
        const auto before = known.find(entry.name);
        const std::string problem = text.empty() && before != known.end() ? before->second : std::string();
        const std::string& source = entry.file.empty() ? entry.generator : entry.file;
        insert.bindAll(entry.name, entry.digest, entry.split, structure, entry.attribution, source,
                       number("rows"), number("cols"), number("nnz"), text, problem);
        insert.run();
    }
    remember(db, "matrices", stamp);
    transaction.commit();
    return true;
}

namespace {

/// Puts what was computed into the row of a matrix.
void setFeatures(sql::Database& db, const std::string& name, const std::string& digest,
                 const std::string& text)
{
    const auto json = parseJson(text);
    const auto features = json ? featuresFromJson(*json) : std::nullopt;
    if (!features)
        return;
    db.prepare("UPDATE matrix SET digest=?, rows=?, cols=?, nnz=?, features=?, "
               "class=CASE class WHEN '' THEN ? ELSE class END WHERE name=?")
        .bindAll(digest, features->rows, features->cols, features->nnz, text, structureClass(*features), name)
        .run();
}

} // namespace

bool MatrixScout::read(sql::Database& db, const fs::path& path, double seconds, const CancelToken& cancel,
                       double longest)
{
    constexpr std::uintmax_t most = 64 << 20;
    std::vector<std::string> unread;
    {
        auto rows = db.prepare("SELECT name FROM matrix WHERE features='' ORDER BY name");
        while (rows.step())
            unread.push_back(rows.text(0));
    }
    const double begin = monotonicSeconds();
    bool any = complete(db, path, seconds, cancel);
    if (unread.empty())
        return any;
    auto project = Project::open(path);
    if (!project)
        return any;
    for (const std::string& name : unread) {
        const MatrixEntry* known = project->matrix(name);
        if (known == nullptr)
            continue;
        const MatrixEntry entry = *known;
        const fs::path file = path / entry.file;
        const std::string stamp = entry.file.empty() ? entry.generator : stampOf({file});
        if (const auto it = m_failed.find(name); it != m_failed.end() && it->second == stamp)
            continue;
        if (!entry.file.empty() && glance(file).bytes > most)
            continue;
        if (cancel.cancelled() || monotonicSeconds() - begin > seconds)
            break;
        // A small archive may hold terabytes: it is left to those who ask for this matrix.
        const double started = monotonicSeconds();
        const CancelToken enough;
        const auto watch = [&](double, std::string_view) {
            if (cancel.cancelled() || monotonicSeconds() - started > longest)
                enough.cancel();
        };
        const auto loaded = project->load(entry, enough, watch);
        if (cancel.cancelled())
            break;
        if (!loaded && isInterruption(loaded.error())) {
            m_failed[name] = stamp;
            continue;
        }
        any = true;
        if (loaded) {
            m_failed.erase(name);
            // It came from the cache, and its features were not there or not of this user's making.
            if (project->completeFeatures(loaded->digest))
                setFeatures(db, name, loaded->digest, project->featuresJson(loaded->digest));
            continue;
        }
        m_failed[name] = stamp;
        db.prepare("UPDATE matrix SET problem=? WHERE name=?").bindAll(loaded.error().sentence(), name).run();
    }
    return any;
}

bool MatrixScout::complete(sql::Database& db, const fs::path& path, double seconds, const CancelToken& cancel)
{
    std::vector<std::string> digests;
    {
        auto rows =
            db.prepare("SELECT DISTINCT digest FROM matrix WHERE features<>'' AND instr(features, ?)=0");
        rows.bind(fmt::format("\"{}\"", featureSpecs().back().key));
        while (rows.step())
            if (!m_incomplete.contains(rows.text(0)))
                digests.push_back(rows.text(0));
    }
    if (digests.empty())
        return false;
    const auto project = Project::open(path);
    const double begin = monotonicSeconds();
    bool any = false;
    for (const std::string& digest : digests) {
        if (!project || cancel.cancelled() || monotonicSeconds() - begin > seconds)
            break;
        if (!project->completeFeatures(digest)) {
            m_incomplete.insert(digest); // Not in the cache: whoever reads the matrix computes them.
            continue;
        }
        db.prepare("UPDATE matrix SET features=? WHERE digest=?")
            .bindAll(project->featuresJson(digest), digest)
            .run();
        any = true;
    }
    return any;
}

bool indexAnnotations(sql::Database& db, const fs::path& path, std::vector<std::string>& problems)
{
    const std::string stamp = stampOf({path / "annotations.jsonl"});
    if (unchanged(db, "annotations", stamp))
        return false;
    const auto list = readAnnotations(path);
    if (!list) {
        problems.push_back(list.error().sentence());
        return false;
    }
    std::map<std::pair<std::string, std::string>, AnnotationState> states;
    for (const Annotation& annotation : *list)
        applyAnnotation(states[{std::string(nameOf(annotation.target)), annotation.key}], annotation);
    sql::Transaction transaction(db);
    db.execute("DELETE FROM annotation");
    auto insert = db.prepare("INSERT INTO annotation VALUES (?,?,?,?,?,?,?,?,?,?)");
    for (const auto& [key, state] : states) {
        std::string sft;
        for (const std::string& target : state.sftTargets)
            sft += (sft.empty() ? "," : "") + target + ",";
        insert.bindAll(key.first, key.second, state.note, dumpJson(state.tags), state.starred, state.pinned,
                       state.archived, state.colour, state.shown, sft);
        insert.run();
    }
    remember(db, "annotations", stamp);
    transaction.commit();
    return true;
}

bool indexExports(sql::Database& db, const fs::path& path, std::vector<std::string>& problems)
{
    std::vector<fs::path> manifests;
    for (const fs::path& folder : entriesOf(path / "exports"))
        // Hidden ones are being written.
        if (!folder.filename().string().starts_with('.') && glance(folder / "manifest.json").exists)
            manifests.push_back(folder / "manifest.json");
    std::string stamp = stampOf(manifests);
    for (const fs::path& file : manifests)
        stamp += file.parent_path().filename().string() + ";";
    if (unchanged(db, "exports", stamp))
        return false;
    sql::Transaction transaction(db);
    db.execute("DELETE FROM export");
    auto insert = db.prepare("INSERT INTO export VALUES (?,?,?,?,?)");
    for (const fs::path& file : manifests) {
        const auto json = readControlJson(file);
        if (!json) {
            problems.push_back(json.error().sentence());
            continue;
        }
        // Tolerant of how deep the writer nests: what is not there stays empty.
        const auto find = [&](const char* flat, const char* table, const char* key) {
            std::string value = jsonValue<std::string>(*json, flat, {});
            if (value.empty() && json->contains(table))
                value = jsonValue<std::string>((*json)[table], key, {});
            return value;
        };
        double created = jsonValue(*json, "created", 0.0);
        if (const auto time = parseIsoTime(jsonValue<std::string>(*json, "created", {})))
            created = *time;
        insert.bindAll(file.parent_path().filename().string(), find("program_hash", "program", "hash"),
                       find("matrix_digest", "matrix", "digest"), find("run", "run", "name"), created);
        insert.run();
    }
    remember(db, "exports", stamp);
    transaction.commit();
    return true;
}

} // namespace sparserl

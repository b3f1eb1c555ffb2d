// SPDX-License-Identifier: Apache-2.0
#include "project/files/project.h"

#include "base/beneath.h"
#include "base/control_file.h"
#include "base/files.h"
#include "base/new_folders.h"
#include "base/trust.h"
#include "project/files/project_file.h"
#include "project/files/run_files.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

/// Who makes a project trusts it, and with it all that its folder holds: what is a project's already must
/// not come from others, and neither may a run, which would be trusted with it. Matrices may lie there.
Status requireNothingOfOthers(const fs::path& folder)
{
    SPARSERL_TRY(const bool trusted, trustOf(folder));
    if (trusted)
        return {};
    for (const char* name :
         {"runs", "cache", "exports", "sft_set", "job.toml", "annotations.jsonl", "programs.jsonl",
          "verifications.jsonl", "project.sqlite", "index.lock", "project.lock", "run.toml", "journal.jsonl",
          "control.jsonl", "checkpoints", "remote.json", "generation.json"}) {
        SPARSERL_TRY(const auto there, lookAt(folder / name));
        SPARSERL_TRY(const auto parts, there.folder ? listDirectory(folder / name) : std::vector<fs::path>());
        if (there.exists && (!there.folder || !parts.empty()))
            return failAt(
                (folder / name).string(), 0,
                "the folder holds parts of a project or a run that you have not made on this machine",
                "Choose another folder. If the project is yours, restore its project.toml, then "
                "trust it with `sparserl project trust DIR`");
    }
    return {};
}

} // namespace

Result<Project> Project::create(const fs::path& path, const std::string& title)
{
    std::error_code code;
    const fs::path absolute = fs::absolute(path, code).lexically_normal();
    if (glance(absolute / "project.toml").exists)
        return failAt(absolute.string(), 0, "there is already a project here",
                      "Open it, or choose another folder");
    ProjectFile file;
    file.title = !title.empty()            ? title
                 : absolute.has_filename() ? absolute.filename().string()
                                           : absolute.parent_path().filename().string();
    SPARSERL_CHECK(requireNothingOfOthers(absolute));
    NewFolders folders;
    SPARSERL_CHECK(folders.make(absolute));
    SPARSERL_CHECK(trustProject(absolute)); // who makes one works on it
    for (const char* folder : {"matrices", "cache", "runs", "exports"}) {
        SPARSERL_CHECK(folders.make(absolute / folder));
    }
    SPARSERL_CHECK(writeFileAtomic(absolute / "project.toml", formatProjectFile(file)));
    folders.keep();
    return open(absolute);
}

Result<Project> Project::open(const fs::path& path)
{
    std::error_code code;
    Project project;
    project.m_path = fs::absolute(path, code).lexically_normal();
    if (project.m_path.filename() == "project.toml")
        project.m_path = project.m_path.parent_path();
    if (!project.m_path.has_filename())
        project.m_path = project.m_path.parent_path();
    const fs::path file = project.m_path / "project.toml";
    SPARSERL_TRY(const auto there, lookAt(file));
    if (!there.exists)
        return failAt(
            project.m_path.string(), 0, "this is not a project: project.toml is missing",
            "Choose the folder that holds project.toml, or make one with `sparserl project new DIR`");
    rememberProject(project.m_path);
    SPARSERL_CHECK(project.readFrom(file));
    return project;
}

Result<Project> Project::find(const fs::path& path)
{
    std::error_code code;
    for (fs::path at = fs::absolute(path, code).lexically_normal();; at = at.parent_path()) {
        if (glance(at / "project.toml").exists)
            return open(at);
        if (at == at.parent_path())
            break;
    }
    return failAt(path.string(), 0, "there is no project here or in a folder above",
                  "Give one with --project, or make one with `sparserl project new DIR`");
}

Status Project::readFrom(const fs::path& file)
{
    SPARSERL_TRY(const auto text, readControlFile(file));
    SPARSERL_TRY(auto parsed, parseProjectFile(text, file.string()));
    m_title = parsed.title.empty() ? m_path.filename().string() : parsed.title;
    m_matrices = std::move(parsed.matrices);
    recallDigests();
    return {};
}

const MatrixEntry* Project::matrix(std::string_view name) const
{
    const auto it = std::find_if(m_matrices.begin(), m_matrices.end(),
                                 [&](const MatrixEntry& entry) { return entry.name == name; });
    return it == m_matrices.end() ? nullptr : &*it;
}

const MatrixEntry* Project::matrixByDigest(std::string_view digest) const
{
    const auto it = std::find_if(m_matrices.begin(), m_matrices.end(), [&](const MatrixEntry& entry) {
        return !digest.empty() && entry.digest == digest;
    });
    return it == m_matrices.end() ? nullptr : &*it;
}

fs::path Project::thumbnailPath(std::string_view digest) const
{
    return cachePath() / (fileNameFor(digest) + ".png");
}

std::vector<fs::path> Project::runDirectories() const
{
    std::vector<fs::path> runs = entriesOf(runsPath());
    std::erase_if(runs, [](const fs::path& path) {
        // Hidden ones are being created.
        return path.filename().string().starts_with('.') || !glance(path / runFile).exists;
    });
    return runs;
}

fs::path Project::newRunPath(const std::string& stage) const
{
    int highest = 0;
    for (const fs::path& path : entriesOf(runsPath())) {
        const std::string name = path.filename().string();
        int number = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc())
            highest = std::max(highest, number);
    }
    return runsPath() / fmt::format("{:04}-{}", highest + 1, stage);
}

} // namespace sparserl

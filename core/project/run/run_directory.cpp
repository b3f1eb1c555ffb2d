// SPDX-License-Identifier: Apache-2.0
#include "project/run/run_directory.h"

#include "base/beneath.h"
#include "base/control_file.h"
#include "base/files.h"
#include "base/format_number.h"
#include "base/lock.h"
#include "base/new_folders.h"
#include "base/secret.h"
#include "base/temporary_name.h"
#include "base/time.h"
#include "base/trust.h"
#include "base/trust_roots.h"
#include "project/files/file_handle.h"
#include "project/files/run_files.h"
#include "project/run/default_policy.h"
#include "project/run/generation.h"
#include "project/run/journal_survey.h"
#include "project/run/journal_tail.h"
#include "project/run/worker_start.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fmt/format.h>
#include <unistd.h>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

/// A run that is being created is called `.new-NAME-NUMBER`, beside the place where it will be.
constexpr std::string_view newPrefix = ".new-";

/// Does the process live that a run being created is named after?
bool creatorLives(const std::string& name)
{
    const std::size_t dash = name.rfind('-');
    pid_t process = 0;
    const bool known =
        dash != std::string::npos &&
        std::from_chars(name.data() + dash + 1, name.data() + name.size(), process).ec == std::errc() &&
        process > 0;
    return known && (::kill(process, 0) == 0 || errno == EPERM);
}

/// Removes runs whose creator died in the middle. One that lives holds the lock inside, but for an instant at
/// its beginning.
void removeAbandoned(const fs::path& folder)
{
    for (const fs::path& path : entriesOf(folder)) {
        const std::string name = path.filename().string();
        std::error_code code;
        if (!name.starts_with(newPrefix) || creatorLives(name))
            continue;
        const auto lock = FileLock::tryLock(path / workerLock);
        if (lock && *lock)
            removeTree(path, code);
    }
}

/// Is this what a program that created runs in place left when it died: no run.toml and nothing ever done?
bool isHalfCreated(const fs::path& path)
{
    const auto entries = listDirectory(path);
    for (const fs::path& entry : entries ? *entries : std::vector<fs::path>()) {
        const std::string name = entry.filename().string();
        if (name == "checkpoints") {
            const auto inside = listDirectory(entry);
            if (inside && inside->empty())
                continue;
        }
        if (name == journalFile) {
            const auto text = readFile(entry, 4096);
            const bool queued =
                text && (text->empty() || text->find(R"("state":"queued")") != std::string::npos);
            // No line, or the first one, or a torn one.
            if (text && (queued || text->find('\n') == std::string::npos) &&
                std::count(text->begin(), text->end(), '\n') <= 1)
                continue;
        }
        if (name == workerLock || name == workerLogFile ||
            (processOfTemporary(name) && name.find(runFile) != std::string::npos))
            continue;
        return false;
    }
    return entries.has_value();
}

/// The error of a run.toml that cannot be used, with the place of a copy if there is one that differs from
/// it.
Error withCopy(Error error, const fs::path& run)
{
    if (isOfNewerVersion(error))
        return error; // a copy would lose what that version wrote
    const auto own = readControlFile(run / runFile);
    const auto there = lookAt(run / runFile);
    if (!own && !error.remedy.empty() && (!there || there->regular))
        return error; // what keeps it from being read keeps the copy, too
    const auto checkpoints = listCheckpoints(run);
    for (auto at = checkpoints.rbegin(); at != checkpoints.rend(); ++at) {
        const fs::path copy = at->path / runFile;
        if (!readRunConfig(copy))
            continue;
        const std::string advice = fmt::format("Replace it with its copy: {}", copy.string());
        const auto text = readControlFile(copy);
        if (!own || !text || *own != *text)
            error.remedy = error.remedy.empty() ? advice : fmt::format("{}. {}", error.remedy, advice);
        break;
    }
    return error;
}

/// Makes room at `path` for a new run, or says what is in the way.
Status clearPlace(const fs::path& path)
{
    std::error_code code;
    SPARSERL_TRY(const auto there, lookAt(path));
    if (!there.exists)
        return {};
    SPARSERL_TRY(const auto run, lookAt(path / runFile));
    if (run.exists)
        return failAt(path.string(), 0, "a run is there already", "Choose another folder or resume that run");
    if (!there.folder)
        return failAt(path.string(), 0, "a file is in the way", "Choose another folder for the run");
    SPARSERL_TRY(const auto entries, listDirectory(path));
    if (entries.empty())
        return {}; // it holds the number, and the new run replaces it at once
    if (FileLock::isLocked(path / workerLock))
        return failAt(path.string(), 0, "another program is working in this folder", "Choose another folder");
    if (isHalfCreated(path)) {
        removeTree(path, code);
        return code ? Status(fail(systemError("remove what a crash left of a new run", path, code.value())))
                    : Status();
    }
    if (glance(path / journalFile).exists || glance(path / "checkpoints").exists)
        return fail(withCopy({"the run.toml of this run is missing", path.string(), 0,
                              "Restore run.toml to continue the run, or choose another folder"},
                             path));
    return failAt(path.string(), 0, "the folder is not empty", "Choose another folder for the run");
}

Status fillNewRun(const fs::path& folder, const RunConfig& config)
{
    SPARSERL_CHECK(makeDirectories(folder / "checkpoints"));
    {
        SPARSERL_TRY(auto journal, JournalWriter::open(folder / journalFile, 0));
        if (auto status = journal.append(0, StateEvent{RunState::Queued, {}, 0}); !status)
            return status;
    }
    SPARSERL_CHECK(writeRunConfig(folder / runFile, config));
    return syncTree(folder);
}

/// The project that a run lies in, also where a link of the user leads to the run; empty: there is none.
fs::path projectAround(const fs::path& run)
{
    for (const fs::path& path : {run, behindLinks(run)})
        if (fs::path around = path.parent_path().parent_path();
            path.parent_path().filename() == "runs" && glance(around / "project.toml").exists)
            return around;
    return {};
}

/// Makes the paths of a configuration those of the project around the run.
void settle(const fs::path& run, RunConfig& config)
{
    const fs::path around = projectAround(run);
    if (around.empty())
        return; // a run outside of its project
    rememberProject(around);
    const fs::path made = fs::path(config.project).lexically_normal();
    config.project = around.string();
    const fs::path parent = fs::path(config.parentCheckpoint).lexically_normal();
    if (made.empty() || !parent.is_absolute())
        return;
    const fs::path inside = parent.lexically_relative(made);
    if (!inside.empty() && *inside.begin() != "..")
        config.parentCheckpoint = (around / inside).string();
}

/// A path of the installation would not outlive its next update: the run keeps what it means by it.
Status keepParent(RunConfig& config)
{
    config.parentCheckpoint = keptPolicy(config.parentCheckpoint);
    if (config.parentCheckpoint != defaultPolicyName) {
        config.parentDigest.clear();
        return {};
    }
    const auto folder = defaultPolicyFolder();
    if (!config.parentDigest.empty() || !folder) // a fork has it from its run; without one, no run begins
        return {};
    SPARSERL_TRY(config.parentDigest, digestOfPolicy(*folder));
    return {};
}

} // namespace

Result<RunDirectory> RunDirectory::create(const fs::path& path, RunConfig config)
{
    if (config.created == 0)
        config.created = unixSeconds();
    if (config.stage.empty())
        return fail("a run needs a stage");
    // What is left to chance is drawn now and written down, so that a run that goes on sees the same inputs.
    for (auto& [key, value] : config.parameters)
        if (isDrawnAtStart(key, value))
            value = static_cast<std::int64_t>(drawSecret());
    SPARSERL_CHECK(keepParent(config));
    std::error_code code;
    fs::path place = fs::absolute(path, code).lexically_normal();
    if (code)
        return fail(systemError("find the folder", path, code.value()));
    if (!place.has_filename())
        place = place.parent_path();
    NewFolders folders;
    SPARSERL_CHECK(folders.make(place.parent_path()));
    SPARSERL_CHECK(clearPlace(place));
    // Whole or not at all: a crash or a full disk leaves something that nobody takes for a run, and that the
    // next one to create a run removes.
    removeAbandoned(place.parent_path());
    const fs::path aside =
        place.parent_path() / fmt::format("{}{}-{}", newPrefix, place.filename().string(), ::getpid());
    removeTree(aside, code);
    auto lock = FileLock::tryLock(aside / workerLock);
    auto status = lock ? fillNewRun(aside, config) : Status(fail(lock.error()));
    if (status) {
        renameEntry(aside, place, code);
        if (code == std::errc::directory_not_empty || code == std::errc::file_exists)
            status = failAt(place.string(), 0, "a run is there already",
                            "Choose another folder or resume that run");
        else if (code)
            status = fail(systemError("move the new run into place", place, code.value()));
    }
    // In no project it is trusted by itself: who makes one works on it.
    if (status && trustRootsAbove(place).empty()) {
        status = trustProject(place);
        if (!status)
            removeTree(place, code);
    }
    if (!status) {
        removeTree(aside, code);
        return fail(status.error());
    }
    SPARSERL_CHECK(syncDirectory(place.parent_path()));
    return open(place);
}

Result<RunDirectory> RunDirectory::open(const fs::path& path)
{
    std::error_code code;
    SPARSERL_TRY(const auto there, lookAt(path / runFile));
    if (!there.exists) {
        if (glance(path / journalFile).exists || glance(path / "checkpoints").exists)
            return fail(withCopy({"the run.toml of this run is missing", path.string(), 0,
                                  "Restore run.toml to continue the run"},
                                 path));
        return failAt(path.string(), 0, "this is not a run directory: run.toml is missing",
                      "Give the folder of a run, as `sparserl runs` lists them");
    }
    auto config = readRunConfig(path / runFile);
    if (!config && readRunConfig(path / runFile))
        return fail(std::move(config).error()); // it can be read again: the machine had stumbled
    if (!config)
        return fail(withCopy(std::move(config).error(), path));
    RunDirectory run;
    run.m_path = fs::absolute(path, code).lexically_normal();
    if (!run.m_path.has_filename())
        run.m_path = run.m_path.parent_path();
    run.m_config = std::move(*config);
    settle(run.m_path, run.m_config);
    run.m_controlBegin = controlLength(run.m_path);
    return run;
}

Error RunDirectory::configError(const Error& why) const
{
    return withCopy({why.what, (m_path / runFile).string(), 0, why.remedy, why.kind}, m_path);
}

bool RunDirectory::hasWorker() const
{
    return sparserl::hasWorker(m_path);
}

std::string RunDirectory::journalDoubt() const
{
    const auto newest = latestCheckpoint();
    const auto journal = FileHandle::openRead(m_path / journalFile);
    const auto survey = journal ? surveyJournal(*journal) : Result<JournalSurvey>(fail(journal.error()));
    if (!newest || !survey)
        return {};
    const auto cut = cutFor(*newest, *journal, *survey);
    if (!cut || cut->exact)
        return {};
    return fmt::format("The journal is not the one that was written up to the checkpoint {}: it was edited, "
                       "damaged or replaced",
                       newest->name);
}

std::optional<StateEvent> RunDirectory::lastState() const
{
    return sparserl::lastState(m_path, {readGeneration(m_path), 0});
}

} // namespace sparserl

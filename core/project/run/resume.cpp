// SPDX-License-Identifier: Apache-2.0
// RunDirectory::beginWork(): where a run goes on, and what becomes of the rest.
#include "base/beneath.h"
#include "base/control_file.h"
#include "base/files.h"
#include "base/free_name.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/trust.h"
#include "project/files/leftovers.h"
#include "project/files/run_files.h"
#include "project/run/checkpoint_files.h"
#include "project/run/generation.h"
#include "project/run/journal_survey.h"
#include "project/run/remote_mark.h"
#include "project/run/run_directory.h"
#include "project/run/worker_start.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>

namespace sparserl {
namespace {

namespace fs = std::filesystem;

fs::path discardedPath(const fs::path& run, int number)
{
    return run / fmt::format("journal.discarded.{}.jsonl", number);
}

/// Numbers of the journal.discarded.N.jsonl that are there, ascending.
Result<std::vector<int>> discardedNumbers(const fs::path& run)
{
    constexpr std::string_view prefix = "journal.discarded.";
    std::vector<int> numbers;
    SPARSERL_TRY(const auto entries, listDirectory(run));
    for (const fs::path& entry : entries) {
        const std::string name = entry.filename().string();
        int number = 0;
        if (name.starts_with(prefix) && name.ends_with(".jsonl") &&
            std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number).ec ==
                std::errc() &&
            isGeneration(number))
            numbers.push_back(number);
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

/// Is the file exactly the part of the journal from `begin` on?
bool holdsTail(const fs::path& file, const FileHandle& journal, std::int64_t begin, std::int64_t end)
{
    const auto other = FileHandle::openRead(file);
    const auto size = other ? other->size() : Result<std::int64_t>(fail(other.error()));
    if (!size || *size != end - begin)
        return false;
    constexpr std::int64_t chunk = 1 << 20;
    for (std::int64_t at = 0; at < *size; at += chunk) {
        const auto a = other->read(at, chunk);
        const auto b = journal.read(begin + at, std::min(chunk, *size - at));
        if (!a || !b || *a != *b)
            return false;
    }
    return true;
}

/// Writes a part of the journal to a file of its own, whole or not at all.
Status copyTail(const FileHandle& journal, std::int64_t begin, std::int64_t end, const fs::path& to)
{
    const fs::path temporary = to.string() + ".tmp";
    {
        SPARSERL_TRY(auto out, FileHandle::openAppend(temporary));
        SPARSERL_CHECK(out.truncate(0));
        constexpr std::int64_t chunk = 1 << 20;
        // A hole that somebody made is nothing to keep: it would fill the disk.
        for (std::int64_t at = journal.dataFrom(begin); at < end; at = journal.dataFrom(at)) {
            SPARSERL_TRY(const auto bytes, journal.read(at, std::min(chunk, end - at)));
            if (bytes.empty())
                break;
            SPARSERL_CHECK(out.write(bytes));
            at += static_cast<std::int64_t>(bytes.size());
        }
        SPARSERL_CHECK(out.sync());
    }
    std::error_code code;
    renameEntry(temporary, to, code);
    if (code)
        return fail(systemError("keep the discarded part of the journal", to, code.value()));
    return syncDirectory(to.parent_path());
}

/// Moves a checkpoint to checkpoints.set-aside/, where nothing looks for checkpoints, and notes why.
Status setAside(const fs::path& run, const fs::path& checkpoint, const std::string& why,
                std::vector<std::string>& notices)
{
    const fs::path folder = run / "checkpoints.set-aside";
    SPARSERL_CHECK(makeDirectories(folder));
    std::error_code code;
    const std::string name = checkpoint.filename().string();
    const fs::path target = freePlace(folder / name);
    notices.push_back(
        fmt::format("The checkpoint {} cannot be used ({}). It was moved to {}", name, why, target.string()));
    // Before it moves: a crash in between must not lose the reason.
    SPARSERL_CHECK(appendLine(folder / "reasons.txt", notices.back()));
    renameEntry(checkpoint, target, code);
    if (code)
        return fail(systemError("move the damaged checkpoint aside", checkpoint, code.value()));
    return {};
}

/// Every folder that may be a checkpoint, the newest first.
Result<std::vector<fs::path>> checkpointFolders(const fs::path& run)
{
    std::vector<std::pair<std::int64_t, fs::path>> found;
    SPARSERL_TRY(const auto place, lookAt(run / "checkpoints"));
    if (!place.exists)
        return std::vector<fs::path>();
    SPARSERL_TRY(const auto entries, listDirectory(run / "checkpoints"));
    for (const fs::path& entry : entries) {
        const std::string name = entry.filename().string();
        SPARSERL_TRY(const auto look, lookAt(entry));
        if (name.starts_with('.') || !look.folder)
            continue;
        std::int64_t step = 0;
        if (name.starts_with("step-"))
            std::from_chars(name.data() + 5, name.data() + name.size(), step);
        found.emplace_back(step, entry);
    }
    std::sort(found.rbegin(), found.rend());
    std::vector<fs::path> folders;
    folders.reserve(found.size());
    for (auto& [step, path] : found)
        folders.push_back(std::move(path));
    return folders;
}

/// What is wrong with the contents of a folder as the checkpoint to go on from; empty: nothing, and `info`
/// describes it. An Error is this machine's, and says nothing of the contents.
Result<std::string> faultOf(const fs::path& folder, std::optional<CheckpointInfo>& info)
{
    SPARSERL_TRY(const bool announced, looksComplete(folder));
    if (!announced)
        return std::string("it was never completed, or is half removed");
    SPARSERL_TRY(const auto fault, checkpointFault(folder));
    if (fault)
        return fault->sentence();
    SPARSERL_TRY(const auto text, readControlFile(folder / "checkpoint.json"));
    info = describeCheckpoint(folder, text);
    if (!info || folder.filename() != checkpointName(info->step))
        return std::string("it is not the checkpoint that its name says");
    return std::string();
}

/// The checkpoint to go on from: the newest that is complete in itself. Newer ones are moved aside; older
/// ones are left alone. Where this machine cannot tell, nothing is moved.
Result<std::optional<CheckpointInfo>> chooseCheckpoint(const fs::path& run, const JournalSurvey& survey,
                                                       const std::map<std::string, int>& discarded,
                                                       std::vector<std::string>& notices)
{
    SPARSERL_TRY(const auto folders, checkpointFolders(run));
    std::vector<std::pair<fs::path, std::string>> faulty; // moved once it is known what to go on from
    std::optional<CheckpointInfo> chosen;
    for (const fs::path& folder : folders) {
        const std::string name = folder.filename().string();
        std::optional<CheckpointInfo> info;
        SPARSERL_TRY(std::string fault, faultOf(folder, info));
        const bool known = std::any_of(survey.checkpoints.begin(), survey.checkpoints.end(),
                                       [&](const auto& event) { return event.name == name; });
        const auto rolledBack = discarded.find(name);
        if (fault.empty() && !known && rolledBack != discarded.end() && info->gen < rolledBack->second)
            fault = "it belongs to a history that was rolled back";
        if (fault.empty()) {
            chosen = std::move(info);
            break;
        }
        faulty.emplace_back(folder, std::move(fault));
    }
    for (const auto& [folder, fault] : faulty)
        SPARSERL_CHECK(setAside(run, folder, fault, notices));
    if (!chosen)
        return chosen;
    SPARSERL_TRY(const auto done, lookAt(chosen->path / "DONE"));
    if (!done.exists) { // checksums have proved the rest
        SPARSERL_TRY(const auto text, readControlFile(chosen->path / "checkpoint.json"));
        SPARSERL_CHECK(writeFileAtomic(chosen->path / "DONE", doneText(text)));
    }
    return chosen;
}

std::string changedJournal(const CheckpointInfo& from, const JournalCut& cut)
{
    return fmt::format(
        "The journal is not the one that was written up to the checkpoint {}: {}. The run continues "
        "from that checkpoint. The first {} bytes of the journal are kept; the rest is "
        "in journal.discarded",
        from.name,
        cut.hasEvent ? "lines before it were changed, removed or added" : "it is missing, cut or damaged",
        cut.keep);
}

} // namespace

struct RunSession::Impl
{
    FileLock lock; // first, so that it goes last
    fs::path run;
    std::vector<HeldFolder> held; ///< The run, and the projects around it.
    JournalWriter journal;
    ControlReader control;
    std::optional<CheckpointInfo> checkpoint;
    std::vector<std::string> notices;
    int gen = 0;
};

RunSession::RunSession(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}
RunSession::RunSession(RunSession&&) noexcept = default;
RunSession& RunSession::operator=(RunSession&&) noexcept = default;
RunSession::~RunSession() = default;

JournalWriter& RunSession::journal()
{
    return m_impl->journal;
}

ControlReader& RunSession::control()
{
    return m_impl->control;
}

const std::optional<CheckpointInfo>& RunSession::checkpoint() const
{
    return m_impl->checkpoint;
}

const std::vector<std::string>& RunSession::notices() const
{
    return m_impl->notices;
}

Status RunSession::checkPlace() const
{
    for (const HeldFolder& folder : m_impl->held)
        if (!folder.isThere())
            return failAt(m_impl->run.string(), 0,
                          "the run, or its project, was moved, replaced or removed while its worker was "
                          "running. The worker ends; nothing was changed in the folder that is there now",
                          "Continue it at its new place: `sparserl train --run DIR`");
    return {};
}

const FileLock& RunSession::lock() const
{
    return m_impl->lock;
}

int RunSession::generation() const
{
    return m_impl->gen;
}

Result<RunSession> RunDirectory::beginWork()
{
    SPARSERL_CHECK(requireTrust(m_path));
    // Two workers, here and there, would write two histories.
    if (readRemoteMark(m_path)) {
        SPARSERL_TRY(const RemoteMark mark, requireRemoteMark(m_path));
        return failAt(
            m_path.string(), 0, fmt::format("this run works on another machine, {}", mark.host),
            "Resume it there with `sparserl train --run DIR`, or remove its remote.json once nothing "
            "works there");
    }
    std::vector<HeldFolder> held;
    for (const fs::path& folder : projectsAround(m_path)) {
        SPARSERL_TRY(auto project, HeldFolder::hold(folder));
        held.push_back(std::move(project));
    }
    SPARSERL_TRY(auto own, HeldFolder::hold(m_path));
    held.push_back(std::move(own));
    SPARSERL_TRY(auto lock, FileLock::tryLock(m_path / workerLock));
    if (!lock) {
        const auto holder = FileLock::holder(m_path / workerLock);
        return failAt(m_path.string(), 0,
                      holder ? fmt::format("a worker (process {}) is working on this run already", *holder)
                             : std::string("a worker is working on this run already"),
                      "Wait for it, or stop it first");
    }
    clearWorkerStart(m_path);
    const fs::path journalPath = m_path / journalFile;
    SPARSERL_TRY(auto file, FileHandle::openAppend(journalPath));
    SPARSERL_TRY(const auto survey, surveyJournal(file));

    // What was paused or stopped stays answered even where the answer is rolled back.
    std::set<std::string> answered;
    std::map<std::string, int> discarded; // checkpoints by name, and which resume last rolled one back
    SPARSERL_TRY(const std::vector<int> numbers, discardedNumbers(m_path));
    for (const int number : numbers) {
        SPARSERL_TRY(const auto look, lookAt(discardedPath(m_path, number)));
        if (!look.regular && !look.link) // a folder, say
            continue;
        SPARSERL_TRY(const auto old, FileHandle::openRead(discardedPath(m_path, number)));
        SPARSERL_TRY(const auto oldSurvey, surveyJournal(old));
        for (const auto& answer : oldSurvey.answers) {
            if (!answer.durable)
                answered.insert(answer.id);
        }
        for (const auto& event : oldSurvey.checkpoints)
            discarded[event.name] = number;
    }

    std::vector<std::string> notices;
    recoverCheckpoints(m_path);
    removeLeftovers(m_path, {});
    SPARSERL_TRY(auto from, chooseCheckpoint(m_path, survey, discarded, notices));
    JournalCut cut{survey.headEnd, true, false};
    if (from) {
        SPARSERL_TRY(const auto found, cutFor(*from, file, survey));
        cut = found;
        if (!cut.exact)
            notices.push_back(changedJournal(*from, cut));
    }
    for (const auto& answer : survey.answers) {
        if (answer.end <= cut.keep || !answer.durable)
            answered.insert(answer.id);
    }

    // Each step can be repeated: a crash in between leads here again with the same number, or with no tail.
    // generation.json may be lost: no number that was ever used comes again.
    int gen = std::max(readGeneration(m_path), survey.newestGen);
    const int newest = numbers.empty() ? 0 : numbers.back();
    const bool hasTail = cut.keep < survey.size;
    if (from || hasTail || newest > gen) {
        if (std::max(gen, newest) >= mostGenerations)
            return failAt(
                m_path.string(), 0,
                fmt::format("the run claims {} resumes, which cannot be right", std::max(gen, newest)),
                "Restore generation.json and the journals from a copy");
        ++gen;
        if (hasTail) {
            while (std::binary_search(numbers.begin(), numbers.end(), gen) &&
                   !holdsTail(discardedPath(m_path, gen), file, cut.keep, survey.size))
                ++gen;
            SPARSERL_CHECK(copyTail(file, cut.keep, survey.size, discardedPath(m_path, gen)));
            SPARSERL_CHECK(file.truncate(cut.keep));
            SPARSERL_CHECK(file.sync());
        }
        gen = std::max(gen, newest);
        SPARSERL_CHECK(writeGeneration(m_path, gen));
    }
    SPARSERL_TRY(auto journal, JournalWriter::open(journalPath, gen, from ? from->journalSeq : 0));
    // So that the next resume, and the index, find the checkpoint in the journal.
    if (from && !cut.hasEvent) {
        SPARSERL_CHECK(journal.append(from->step, CheckpointEvent{from->name}));
    }
    auto impl = std::unique_ptr<RunSession::Impl>(
        new RunSession::Impl{std::move(*lock), m_path, std::move(held), std::move(journal),
                             ControlReader(m_path, std::move(answered), m_controlBegin), std::move(from),
                             std::move(notices), gen});
    return RunSession(std::move(impl));
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "project/run_directory.h"

#include "base/files.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/time.h"
#include "project/file_handle.h"
#include "project/generation.h"
#include "project/journal_tail.h"

#include <ctime>
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

namespace sparserl {
namespace {

namespace fs = std::filesystem;

/// When this process was started, in unix seconds: commands sent before were meant for another worker.
double processStart()
{
    const auto stat = readFile("/proc/self/stat", 4096);
    timespec now{};
    if (!stat || ::clock_gettime(CLOCK_BOOTTIME, &now) != 0)
        return 0;
    std::istringstream fields(stat->substr(stat->rfind(')') + 1));
    std::string field;
    for (int i = 3; i < 22; ++i) // fields behind the name are numbered from 3; 22 is starttime
        fields >> field;
    double ticks = 0;
    if (!(fields >> ticks))
        return 0;
    const double uptime = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
    return unixSeconds() - (uptime - ticks / static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

/// Ids of the commands that a journal's text says were applied or refused.
void collectAnswers(std::string_view text, bool transientOnly, std::set<std::string>& answered)
{
    constexpr std::string_view mark = R"("kind":"control")";
    for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
        const std::size_t begin = text.rfind('\n', at) + 1; // npos + 1 == 0
        const auto json = parseJson(text.substr(begin, text.find('\n', at) - begin));
        if (!json || !json->is_object())
            continue;
        const auto outcome = jsonValue<std::string>(*json, "outcome", {});
        if (transientOnly && jsonValue<std::string>(*json, "command", {}) == "set")
            continue;
        if (outcome == "applied" || outcome == "refused")
            answered.insert(jsonValue<std::string>(*json, "id", {}));
    }
}

/// Does this checkpoint belong to this journal: is the last line before its recorded length its own event?
bool belongsTo(const CheckpointInfo& checkpoint, std::string_view journal)
{
    const auto length = static_cast<std::size_t>(checkpoint.journalLength);
    if (length == 0 || length > journal.size() || journal[length - 1] != '\n')
        return false;
    const std::string_view kept = journal.substr(0, length - 1);
    const std::size_t begin = kept.rfind('\n') + 1;
    const auto json = parseJson(kept.substr(begin));
    return json && jsonValue<std::string>(*json, "kind", {}) == "checkpoint" &&
           jsonValue<std::string>(*json, "name", {}) == checkpoint.name &&
           jsonValue<std::int64_t>(*json, "step", -1) == checkpoint.step;
}

/// Length of the line with the state `queued` that every new run begins with.
std::size_t headLength(std::string_view journal)
{
    const std::size_t end = journal.find('\n');
    if (end == std::string_view::npos)
        return 0;
    const auto json = parseJson(journal.substr(0, end));
    return json && jsonValue<std::string>(*json, "state", {}) == "queued" ? end + 1 : 0;
}

fs::path discardedPath(const fs::path& run, int gen)
{
    return run / fmt::format("journal.discarded.{}.jsonl", gen);
}

} // namespace

struct RunSession::Impl
{
    FileLock lock; // first, so that it goes last
    JournalWriter journal;
    ControlReader control;
    std::optional<CheckpointInfo> checkpoint;
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

int RunSession::generation() const
{
    return m_impl->gen;
}

Result<RunDirectory> RunDirectory::create(const fs::path& path, RunConfig config)
{
    if (config.created == 0)
        config.created = unixSeconds();
    if (config.stage.empty())
        return fail("a run needs a stage");
    std::error_code code;
    if (fs::exists(path / "run.toml", code) || fs::exists(path / "journal.jsonl", code))
        return failAt(path.string(), 0, "a run is there already", "Choose another folder or resume that run");
    if (auto status = makeDirectories(path / "checkpoints"); !status)
        return fail(status.error());
    // run.toml comes last: a folder without it is no run, so a crash leaves nothing half-made in the lists.
    auto journal = JournalWriter::open(path / "journal.jsonl", 0);
    if (!journal)
        return fail(journal.error());
    if (auto status = journal->append(0, StateEvent{RunState::Queued, {}, 0}); !status)
        return fail(status.error());
    if (auto status = writeRunConfig(path / "run.toml", config); !status)
        return fail(status.error());
    return open(path);
}

Result<RunDirectory> RunDirectory::open(const fs::path& path)
{
    std::error_code code;
    if (!fs::exists(path / "run.toml", code))
        return failAt(path.string(), 0, "this is not a run directory: run.toml is missing",
                      "Give the folder of a run, as `sparserl runs` lists them");
    auto config = readRunConfig(path / "run.toml");
    if (!config)
        return fail(config.error());
    RunDirectory run;
    run.m_path = fs::absolute(path, code).lexically_normal();
    if (!run.m_path.has_filename())
        run.m_path = run.m_path.parent_path();
    run.m_config = std::move(*config);
    return run;
}

bool RunDirectory::hasWorker() const
{
    return FileLock::isLocked(m_path / "worker.lock");
}

std::optional<StateEvent> RunDirectory::lastState() const
{
    return sparserl::lastState(m_path, {readGeneration(m_path), 0});
}

Result<RunSession> RunDirectory::beginWork()
{
    auto lock = FileLock::tryLock(m_path / "worker.lock");
    if (!lock)
        return fail(lock.error());
    if (!*lock) {
        const auto holder = FileLock::holder(m_path / "worker.lock");
        return failAt(m_path.string(), 0,
                      holder ? fmt::format("a worker (process {}) is working on this run already", *holder)
                             : std::string("a worker is working on this run already"),
                      "Wait for it, or stop it first");
    }
    const fs::path journalPath = m_path / "journal.jsonl";
    auto file = FileHandle::openAppend(journalPath);
    if (!file)
        return fail(file.error());
    const auto size = file->size();
    const auto text = size ? file->read(0, *size) : Result<std::string>(fail(size.error()));
    if (!text)
        return fail(text.error());

    // The newest checkpoint that belongs to this journal; newer ones are of a history that was discarded.
    std::optional<CheckpointInfo> from;
    std::error_code code;
    for (const CheckpointInfo& info : checkpoints()) {
        if (belongsTo(info, *text))
            from = info;
        else if (!info.pinned) {
            fs::remove(info.path / "DONE", code);
            fs::remove_all(info.path, code);
        }
    }
    for (fs::directory_iterator it(m_path / "checkpoints", code), end; !code && it != end;
         it.increment(code)) {
        if (it->path().filename().string().starts_with(".tmp-")) {
            std::error_code ignored;
            fs::remove_all(it->path(), ignored);
        }
    }

    const std::size_t keep = from ? static_cast<std::size_t>(from->journalLength) : headLength(*text);
    int gen = readGeneration(m_path);
    std::set<std::string> answered;
    const std::string_view tail = std::string_view(*text).substr(keep);
    collectAnswers(std::string_view(*text).substr(0, keep), false, answered);
    // What was paused or stopped stays answered even where the answer is rolled back.
    collectAnswers(tail, true, answered);
    for (int n = 1; n <= gen; ++n) {
        if (const auto discarded = readFile(discardedPath(m_path, n)))
            collectAnswers(*discarded, true, answered);
    }
    // The tail may have been moved by a resume that died before it raised the generation.
    if (from || !tail.empty() || fs::exists(discardedPath(m_path, gen + 1), code)) {
        ++gen;
        // Each step can be repeated: a crash in between leads here again with the same number, or with no
        // tail.
        if (!tail.empty()) {
            if (auto status = writeFileAtomic(discardedPath(m_path, gen), tail); !status)
                return fail(status.error());
            if (auto status = file->truncate(static_cast<std::int64_t>(keep)); !status)
                return fail(status.error());
            if (auto status = file->sync(); !status)
                return fail(status.error());
        }
        if (auto status = writeGeneration(m_path, gen); !status)
            return fail(status.error());
    }
    auto journal = JournalWriter::open(journalPath, gen);
    if (!journal)
        return fail(journal.error());
    auto impl = std::unique_ptr<RunSession::Impl>(new RunSession::Impl{
        std::move(**lock), std::move(*journal),
        ControlReader(m_path, std::move(answered), processStart() - 0.05), std::move(from), gen});
    return RunSession(std::move(impl));
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "project/run_directory.h"

#include "base/files.h"
#include "base/lock.h"
#include "base/time.h"
#include "project/generation.h"
#include "project/journal_tail.h"

namespace sparserl {

namespace fs = std::filesystem;

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

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/control.h"
#include "project/heartbeat.h"
#include "project/journal.h"
#include "project/run_config.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// A complete checkpoint (one with a DONE marker).
struct CheckpointInfo
{
    std::string name; ///< "step-000400"
    std::filesystem::path path;
    std::int64_t step = 0;
    std::int64_t journalLength = 0; ///< Bytes of the journal that belong to it, its own event included.
    std::int64_t journalSeq = 0;    ///< Next seq after it.
    double created = 0;
    std::int64_t bytes = 0;
    bool pinned = false; ///< Not removed by pruneCheckpoints: a file PIN is in the folder.
};

/// A checkpoint being written: fill `directory()`, then commit. Without commit it disappears.
class PendingCheckpoint
{
public:
    PendingCheckpoint(PendingCheckpoint&&) noexcept;
    PendingCheckpoint& operator=(PendingCheckpoint&&) noexcept;
    ~PendingCheckpoint();

    const std::filesystem::path& directory() const { return m_temporary; }
    /// Appends the `checkpoint` event, syncs the journal, records its length, fsyncs every file, renames the
    /// folder into place and writes DONE. After a crash at any point either the whole checkpoint is there or
    /// none of it.
    Result<CheckpointInfo> commit(JournalWriter& journal);

private:
    friend class RunDirectory;
    PendingCheckpoint() = default;
    std::filesystem::path m_temporary, m_final;
    std::int64_t m_step = 0;
};

/// The right to write into a run directory, with all that goes with it. Held by the worker for as long as it
/// lives.
class RunSession
{
public:
    RunSession(RunSession&&) noexcept;
    RunSession& operator=(RunSession&&) noexcept;
    ~RunSession();

    JournalWriter& journal();
    ControlReader& control();
    /// The checkpoint to start from, or nothing: start from the stage's beginning.
    const std::optional<CheckpointInfo>& checkpoint() const;
    int generation() const; ///< 0 at first, +1 with every resume that found a journal.

private:
    friend class RunDirectory;
    struct Impl;
    explicit RunSession(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// A run directory: run.toml, journal.jsonl, control.jsonl, checkpoints/, heartbeat.json, worker.log,
/// worker.lock, generation.json, journal.discarded.N.jsonl (DESIGN 2, reference/formats.md 3). The interface
/// between workers and everyone else.
class RunDirectory
{
public:
    /// Makes the folder and run.toml, and a journal with the state `queued`. Fails if a run is there already.
    static Result<RunDirectory> create(const std::filesystem::path& path, RunConfig config);
    static Result<RunDirectory> open(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return m_path; }
    std::string name() const { return m_path.filename().string(); }
    const RunConfig& config() const { return m_config; }
    std::filesystem::path workerLog() const { return m_path / "worker.log"; }

    /// Takes the worker's lock (fails with the holder's pid if another worker lives) and prepares the run for
    /// work: goes back to the last complete checkpoint (or to the start), moves the journal's tail behind it
    /// to journal.discarded.N.jsonl and raises `gen`. Repeatable: a crash in the middle is repaired by the
    /// next call.
    Result<RunSession> beginWork();
    /// True while a worker holds the lock.
    bool hasWorker() const;
    /// The last `state` of the journal, or nothing.
    std::optional<StateEvent> lastState() const;

    Result<PendingCheckpoint> beginCheckpoint(std::int64_t step);
    std::vector<CheckpointInfo> checkpoints() const; ///< Complete ones, by step.
    std::optional<CheckpointInfo> latestCheckpoint() const;
    Result<CheckpointInfo> checkpoint(const std::string& name) const;
    /// Removes all but the newest `keep` (at least 1) and the pinned ones.
    Status pruneCheckpoints(int keep);
    Status pinCheckpoint(const std::string& name, bool pinned);

private:
    std::filesystem::path m_path;
    RunConfig m_config;
};

/// Complete checkpoints of any run folder; used where there is no run.toml at hand.
std::vector<CheckpointInfo> listCheckpoints(const std::filesystem::path& runDirectory);

} // namespace sparserl

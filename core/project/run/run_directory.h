// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/files/run_files.h"
#include "project/run/control.h"
#include "project/run/heartbeat.h"
#include "project/run/journal.h"
#include "project/run/run_config.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A complete checkpoint (with a DONE marker).
struct CheckpointInfo
{
    std::string name; ///< "step-000400"
    std::filesystem::path path;
    std::int64_t step = 0;
    std::int64_t journalLength = 0; ///< Journal bytes that belong to it, including its own event.
    std::int64_t journalSeq = 0;    ///< Next seq after it.
    int gen = 0;                    ///< Generation of its journal.
    double created = 0;
    std::int64_t bytes = 0;
    bool pinned = false; ///< Its folder contains a file PIN, so pruneCheckpoints() keeps it.
};

/// A checkpoint in preparation: fill `directory()`, then commit. Without commit it is removed.
class PendingCheckpoint
{
public:
    PendingCheckpoint(PendingCheckpoint&&) noexcept;
    PendingCheckpoint& operator=(PendingCheckpoint&&) noexcept;
    ~PendingCheckpoint();

    const std::filesystem::path& directory() const { return m_temporary; }
    /// Appends the `checkpoint` event, syncs the journal, records its length and the checksums of all files,
    /// writes DONE, fsyncs every file and renames the folder into place. After a crash at any point, either
    /// the whole checkpoint exists or none of it.
    Result<CheckpointInfo> commit(JournalWriter& journal);

private:
    friend class RunDirectory;
    PendingCheckpoint() = default;
    std::filesystem::path m_temporary, m_final;
    std::int64_t m_step = 0;
};

/// The right to write to a run directory, with the associated state. The worker holds it for its lifetime.
class RunSession
{
public:
    RunSession(RunSession&&) noexcept;
    RunSession& operator=(RunSession&&) noexcept;
    ~RunSession();

    JournalWriter& journal();
    ControlReader& control();
    /// The checkpoint to start from, or nullopt to start from the beginning of the stage.
    const std::optional<CheckpointInfo>& checkpoint() const;
    /// Sentences about repairs; usually empty.
    const std::vector<std::string>& notices() const;
    /// Fails once the run, or its project, was moved, replaced or removed. Nothing is then written at the old
    /// path.
    Status checkPlace() const;
    int generation() const; ///< Initially 0, +1 with every resume that found a journal.

private:
    friend class RunDirectory;
    struct Impl;
    explicit RunSession(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// A run directory: run.toml, journal.jsonl, control.jsonl, checkpoints/, heartbeat.json, worker.log,
/// worker.lock, generation.json, journal.discarded.N.jsonl, checkpoints.set-aside/ (docs/design.md 2,
/// docs/formats.md 3). The interface between workers and all other code.
class RunDirectory
{
public:
    /// Creates the folder with run.toml and a journal with the state `queued`, atomically by rename. Fails if
    /// a run or anything other than the remains of a crashed creation exists there.
    static Result<RunDirectory> create(const std::filesystem::path& path, RunConfig config);
    /// Paths in the configuration refer to the project that contains the run now, even if the project was
    /// moved or copied.
    static Result<RunDirectory> open(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return m_path; }
    std::string name() const { return m_path.filename().string(); }
    const RunConfig& config() const { return m_config; }
    /// An Error of run.toml for a value of config(). Refers to the copy in a checkpoint if that has another
    /// value.
    Error configError(const Error& why) const;
    std::filesystem::path workerLog() const { return m_path / workerLogFile; }

    /// Takes the worker's lock (fails with the holder's pid if another worker is alive) and prepares the run
    /// for work. Returns to the newest complete checkpoint (or to the start), moves the journal's tail after
    /// it to journal.discarded.N.jsonl and increments `gen`. Moves a damaged checkpoint to
    /// checkpoints.set-aside/; of a modified journal, keeps the part that belongs to the checkpoint. Deletes
    /// only remains of crashed operations. Idempotent: the next call repairs the effects of a crash. The
    /// session holds the folders of the run and its project (HeldFolder).
    Result<RunSession> beginWork();
    /// The length of control.jsonl at this worker's start; earlier pauses and stops are not for it. Default:
    /// the length when the run was opened.
    void setControlBegin(std::int64_t bytes) { m_controlBegin = bytes; }
    /// True while a worker holds the lock.
    bool hasWorker() const;
    /// The last `state` in the journal, or nullopt.
    std::optional<StateEvent> lastState() const;

    /// Whether the journal differs from the one written with the newest checkpoint: a sentence, or empty.
    /// Reads the whole journal.
    std::string journalDoubt() const;

    Result<PendingCheckpoint> beginCheckpoint(std::int64_t step);
    std::vector<CheckpointInfo> checkpoints() const; ///< Complete ones, by step.
    std::optional<CheckpointInfo> latestCheckpoint() const;
    Result<CheckpointInfo> checkpoint(const std::string& name) const;
    /// Removes all except the newest `keep` (at least 1) and the pinned ones.
    Status pruneCheckpoints(int keep);
    Status pinCheckpoint(const std::string& name, bool pinned);

private:
    std::filesystem::path m_path;
    RunConfig m_config;
    std::int64_t m_controlBegin = 0;
};

/// "step-000400".
std::string checkpointName(std::int64_t step);
/// The contents of checkpoint.json in a folder, even for an incomplete checkpoint; nullopt if it is
/// unreadable.
std::optional<CheckpointInfo> describeCheckpoint(const std::filesystem::path& folder);
/// The same for known contents of checkpoint.json.
std::optional<CheckpointInfo> describeCheckpoint(const std::filesystem::path& folder, std::string_view text);
/// Pins a checkpoint for a new run that starts from it, so its own run does not remove it. Fails if it does
/// not exist. Does nothing for other folders (a run's folder, a model from elsewhere) and in projects that
/// this user does not trust.
Status keepCheckpoint(const std::filesystem::path& checkpoint);
/// Completes operations in checkpoints/ that a crash interrupted: removes half-written and half-removed
/// checkpoints and restores the name of one that was being replaced. Only for the holder of the run's lock.
void recoverCheckpoints(const std::filesystem::path& runDirectory);

/// The checkpoint of a run for another run or a command: the newest, or nullopt. Fails if the folder cannot
/// be read, or if the newest completed one is damaged according to checkpoint.json: an older one is never
/// used silently. (A resume moves it aside first, with a notice.)
Result<std::optional<CheckpointInfo>> newestCheckpoint(const std::filesystem::path& runDirectory);
/// Advice for a damaged checkpoint: names the previous one, if any.
std::string insteadOfCheckpoint(const std::filesystem::path& checkpoint);

/// Complete checkpoints of any run folder, for callers that ignore the reason of a failure.
std::vector<CheckpointInfo> listCheckpoints(const std::filesystem::path& runDirectory);

} // namespace sparserl

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

class FileLock;

/// A complete checkpoint (with a DONE marker).
struct CheckpointInfo
{
    std::string name; ///< "step-000400"
    std::filesystem::path path;
    std::int64_t step = 0;
    std::int64_t journalLength = 0; ///< Length of the journal up to the end of the checkpoint's own event.
    std::int64_t journalSeq = 0;    ///< The next seq after the checkpoint.
    int gen = 0;                    ///< Generation of the journal.
    double created = 0;
    std::int64_t bytes = 0;
    bool pinned = false; ///< Its folder contains a file PIN, so that pruneCheckpoints() keeps it.
};

/// A checkpoint in preparation. Write the files to directory(), then call commit(). The destructor removes a
/// checkpoint that was not committed.
class PendingCheckpoint
{
public:
    PendingCheckpoint(PendingCheckpoint&&) noexcept;
    PendingCheckpoint& operator=(PendingCheckpoint&&) noexcept;
    ~PendingCheckpoint();

    const std::filesystem::path& directory() const { return m_temporary; }
    /// Completes the checkpoint: appends the `checkpoint` event, syncs the journal, records its length and
    /// the checksums of all files, writes DONE, calls fsync for every file and renames the folder to its
    /// final name. After a crash at any point, the checkpoint is either complete or does not exist.
    Result<CheckpointInfo> commit(JournalWriter& journal);

private:
    friend class RunDirectory;
    PendingCheckpoint() = default;
    std::filesystem::path m_temporary, m_final;
    std::int64_t m_step = 0;
};

/// The right to write to a run directory, with the state that belongs to it. The worker holds a session until
/// it ends.
class RunSession
{
public:
    RunSession(RunSession&&) noexcept;
    RunSession& operator=(RunSession&&) noexcept;
    ~RunSession();

    JournalWriter& journal();
    ControlReader& control();
    /// Returns the checkpoint to continue from, or nullopt to begin at the start of the stage.
    const std::optional<CheckpointInfo>& checkpoint() const;
    /// Returns sentences about repairs; usually there are none.
    const std::vector<std::string>& notices() const;
    /// Fails if the run or its project was moved, replaced or removed, so that nothing is written at the old
    /// path.
    Status checkPlace() const;
    int generation() const;       ///< Initially 0; incremented by every resume that finds a journal.
    const FileLock& lock() const; ///< The worker's lock.

private:
    friend class RunDirectory;
    struct Impl;
    explicit RunSession(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// A run directory, the interface between a worker and all other code. It contains run.toml, journal.jsonl,
/// control.jsonl, checkpoints/, heartbeat.json, worker.log, worker.lock, generation.json,
/// journal.discarded.N.jsonl and checkpoints.set-aside/ (docs/design.md 2, docs/formats.md 3).
class RunDirectory
{
public:
    /// Creates the folder with run.toml and a journal with the state `queued`, atomically by renaming. Fails
    /// if the path exists, unless it contains only the remains of a creation that has crashed.
    static Result<RunDirectory> create(const std::filesystem::path& path, RunConfig config);
    /// Opens a run directory. Paths in the configuration refer to the project that contains the run now, even
    /// if the project was moved or copied.
    static Result<RunDirectory> open(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return m_path; }
    std::string name() const { return m_path.filename().string(); }
    const RunConfig& config() const { return m_config; }
    /// Converts an Error about a value of config() to an Error about run.toml. Mentions the copy of run.toml
    /// in a checkpoint if the value is different there.
    Error configError(const Error& why) const;
    std::filesystem::path workerLog() const { return m_path / workerLogFile; }

    /// Takes the worker's lock and prepares the run for work. Fails with the holder's pid if another worker
    /// is alive. Goes back to the newest complete checkpoint, or to the start: moves the part of the journal
    /// after it to journal.discarded.N.jsonl and increments `gen`. Moves a damaged checkpoint to
    /// checkpoints.set-aside/. Of a journal that was modified, keeps the part that belongs to the checkpoint.
    /// Deletes only what crashed operations have left. After a crash in this function, the next call repairs
    /// the run. The session holds the folders of the run and of its project (HeldFolder).
    Result<RunSession> beginWork();
    /// Sets the length that control.jsonl had when this worker started; earlier pauses and stops are not
    /// meant for the worker. The default is the length at the time the run was opened.
    void setControlBegin(std::int64_t bytes) { m_controlBegin = bytes; }
    /// Returns whether a worker holds the lock.
    bool hasWorker() const;
    /// Returns the last `state` in the journal, or nullopt.
    std::optional<StateEvent> lastState() const;

    /// Checks whether the journal still begins with the part that belongs to the newest checkpoint. Returns a
    /// sentence if it does not, otherwise an empty string. Reads the whole journal.
    std::string journalDoubt() const;

    Result<PendingCheckpoint> beginCheckpoint(std::int64_t step);
    std::vector<CheckpointInfo> checkpoints() const; ///< Returns the complete checkpoints, sorted by step.
    std::optional<CheckpointInfo> latestCheckpoint() const;
    Result<CheckpointInfo> checkpoint(const std::string& name) const;
    /// Removes all checkpoints except the newest `keep`, which must be at least 1, and those that are pinned.
    Status pruneCheckpoints(int keep);
    Status pinCheckpoint(const std::string& name, bool pinned);

private:
    std::filesystem::path m_path;
    RunConfig m_config;
    std::int64_t m_controlBegin = 0;
};

/// Returns the name of a checkpoint: "step-000400".
std::string checkpointName(std::int64_t step);
/// Reads checkpoint.json in a folder, even if the checkpoint is incomplete. Returns nullopt if the file
/// cannot be read.
std::optional<CheckpointInfo> describeCheckpoint(const std::filesystem::path& folder);
/// Parses `text`, the contents of checkpoint.json in `folder`, in the same way.
std::optional<CheckpointInfo> describeCheckpoint(const std::filesystem::path& folder, std::string_view text);
/// Pins a checkpoint that a new run starts from, so that the checkpoint's own run does not remove it. Fails
/// if it does not exist. Does nothing for folders that are not checkpoints (a run's folder, a model from
/// outside), and in projects that this user does not trust.
Status keepCheckpoint(const std::filesystem::path& checkpoint);
/// Completes operations in checkpoints/ that a crash has interrupted: removes checkpoints that were partly
/// written or partly removed, and restores the name of a checkpoint that was being replaced. Only the holder
/// of the run's lock may call it.
void recoverCheckpoints(const std::filesystem::path& runDirectory);

/// Returns the newest checkpoint of a run, from which another run or a command can start, or nullopt if there
/// is none. Fails if the folder cannot be read, or if the newest checkpoint is damaged according to its
/// checkpoint.json. An older checkpoint is thus never used without notice; a resume moves the damaged one
/// aside first and says so.
Result<std::optional<CheckpointInfo>> newestCheckpoint(const std::filesystem::path& runDirectory);
/// Returns advice for a damaged checkpoint, which names the previous one if there is one.
std::string insteadOfCheckpoint(const std::filesystem::path& checkpoint);

/// Returns the complete checkpoints in the folder of a run, for callers that do not need the reason of a
/// failure.
std::vector<CheckpointInfo> listCheckpoints(const std::filesystem::path& runDirectory);

} // namespace sparserl

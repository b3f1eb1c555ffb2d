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

/// A complete checkpoint (one with a DONE marker).
struct CheckpointInfo
{
    std::string name; ///< "step-000400"
    std::filesystem::path path;
    std::int64_t step = 0;
    std::int64_t journalLength = 0; ///< Bytes of the journal that belong to it, its own event included.
    std::int64_t journalSeq = 0;    ///< Next seq after it.
    int gen = 0;                    ///< Generation of the journal that it was written in.
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
    /// Appends the `checkpoint` event, syncs the journal, records its length and the checksums of all files,
    /// writes DONE, fsyncs every file and renames the folder into place. After a crash at any point either
    /// the whole checkpoint is there or none of it.
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
    /// What had to be repaired or moved aside, in sentences; empty as a rule.
    const std::vector<std::string>& notices() const;
    /// Fails with a sentence once the run, or its project, was moved, replaced or removed: nothing of it is
    /// written at its old place then.
    Status checkPlace() const;
    int generation() const; ///< 0 at first, +1 with every resume that found a journal.

private:
    friend class RunDirectory;
    struct Impl;
    explicit RunSession(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// A run directory: run.toml, journal.jsonl, control.jsonl, checkpoints/, heartbeat.json, worker.log,
/// worker.lock, generation.json, journal.discarded.N.jsonl, checkpoints.set-aside/ (docs/design.md 2,
/// docs/formats.md 3). The interface between workers and everyone else.
class RunDirectory
{
public:
    /// Makes the folder with run.toml and a journal with the state `queued`, whole or not at all: it is made
    /// under another name and renamed. Fails if a run is there already, or anything but what a crash left of
    /// one.
    static Result<RunDirectory> create(const std::filesystem::path& path, RunConfig config);
    /// Paths in the configuration are those of the project that the run lies in now, wherever it was made: a
    /// project that was moved or copied is at home in itself.
    static Result<RunDirectory> open(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return m_path; }
    std::string name() const { return m_path.filename().string(); }
    const RunConfig& config() const { return m_config; }
    /// What is wrong with a value of config(), as an Error of run.toml; with the place of a checkpoint's copy
    /// where that says something else.
    Error configError(const Error& why) const;
    std::filesystem::path workerLog() const { return m_path / workerLogFile; }

    /// Takes the worker's lock (fails with the holder's pid if another worker lives) and prepares the run for
    /// work: goes back to the newest checkpoint that is complete in itself (or to the start), moves the
    /// journal's tail behind it to journal.discarded.N.jsonl and raises `gen`. A damaged checkpoint is moved
    /// to checkpoints.set-aside/; a journal that was changed is kept as far as it belongs to the checkpoint.
    /// Nothing is deleted but what a crash left half-written or half-removed. Repeatable: a crash in the
    /// middle is repaired by the next call.
    /// The session holds the folders of the run and of the project around it (HeldFolder).
    Result<RunSession> beginWork();
    /// How long control.jsonl was when this worker was started: pauses and stops before that are not for it.
    /// Without this call, when the run was opened.
    void setControlBegin(std::int64_t bytes) { m_controlBegin = bytes; }
    /// True while a worker holds the lock.
    bool hasWorker() const;
    /// The last `state` of the journal, or nothing.
    std::optional<StateEvent> lastState() const;

    /// Whether the journal is another one than the newest checkpoint was written with: a sentence, or empty.
    /// Reads the whole journal.
    std::string journalDoubt() const;

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
    std::int64_t m_controlBegin = 0;
};

/// "step-000400".
std::string checkpointName(std::int64_t step);
/// What checkpoint.json in a folder says, whether the checkpoint is complete or not; nothing where it is
/// unreadable.
std::optional<CheckpointInfo> describeCheckpoint(const std::filesystem::path& folder);
/// The same where the contents of checkpoint.json are known.
std::optional<CheckpointInfo> describeCheckpoint(const std::filesystem::path& folder, std::string_view text);
/// Pins a checkpoint that a new run is to start from, so that its own run does not remove it while the new
/// one needs it. Fails if it is gone. What is no checkpoint of a run (a run's folder, a model from
/// elsewhere), or lies in no project that this user trusts, stays as it is.
Status keepCheckpoint(const std::filesystem::path& checkpoint);
/// Ends what a crash interrupted in checkpoints/: half-written ones go, half-removed ones too, and one that
/// was about to be replaced gets its name back. Only for the holder of the run's lock.
void recoverCheckpoints(const std::filesystem::path& runDirectory);

/// The checkpoint of a run that another run or a command starts from: the newest. Nothing where there is
/// none. Fails where the folder cannot be read, and where the newest that was completed is damaged, as far as
/// checkpoint.json tells: nobody is given an older one unasked. (A resume moves it aside first, and says so.)
Result<std::optional<CheckpointInfo>> newestCheckpoint(const std::filesystem::path& runDirectory);
/// What to do where this checkpoint is damaged: names the one before it, if there is one.
std::string insteadOfCheckpoint(const std::filesystem::path& checkpoint);

/// Complete checkpoints of any run folder, for where it makes no difference why one cannot be read.
std::vector<CheckpointInfo> listCheckpoints(const std::filesystem::path& runDirectory);

} // namespace sparserl

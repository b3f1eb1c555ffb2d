// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "verdict/event.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Appends events to a journal.jsonl. One writer at a time (the worker holds the run's lock). Thread-safe.
///
/// Lines are buffered and written in one write(2) when 64 KiB have accumulated, half a second has passed
/// since the last write, or the event is a `state`, `control`, `checkpoint` or `evaluation`; `state` and
/// `checkpoint` are also fsynced. A crash therefore loses at most events that a resume replays, and truncates
/// at most the last line.
class JournalWriter
{
public:
    /// Opens the file for appending and reads the next seq and the stored programs. Removes an incomplete
    /// last line (kept in journal.torn). New entries carry `gen`; their seq follows the existing ones and is
    /// at least `leastSeq`.
    static Result<JournalWriter> open(const std::filesystem::path& file, int gen, std::int64_t leastSeq = 0);

    JournalWriter(JournalWriter&&) noexcept;
    JournalWriter& operator=(JournalWriter&&) noexcept;
    ~JournalWriter(); ///< Flushes; call sync() if the result matters.

    /// Fails on a disk error (full, missing); the message names the file.
    Status append(std::int64_t step, const Event& event);
    /// Stores the text unless this run already has it.
    Status appendProgram(std::int64_t step, std::string_view hash, std::string_view text);
    bool hasProgram(std::string_view hash) const;

    Status flush(); ///< Makes all appended entries visible to readers.
    Status sync();  ///< ... and durable across power loss.

    int generation() const;
    std::int64_t nextSeq() const;
    /// seq, gen and t of the last entry as stored, without its event.
    JournalEntry lastStamp() const;
    std::int64_t length() const; ///< File length after flushing; recorded in checkpoints.

private:
    struct Impl;
    explicit JournalWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// The position of a journal reader.
struct JournalPosition
{
    int gen = 0;
    std::int64_t offset = 0; ///< Bytes; always at the start of a line.
    /// Time of the last entry before `offset`, if known. If another entry is there, the file was replaced.
    std::optional<double> t;
};

/// The result of a read.
struct JournalBatch
{
    std::vector<JournalEntry> entries;
    JournalPosition next; ///< Where to continue.
    bool rewound = false; ///< The run was resumed: discard all entries read before, start at `next`.
    bool atEnd = true;    ///< False: more complete lines exist, read again.
    std::vector<std::string> problems; ///< Sentences about unreadable lines, which are skipped.
    std::int64_t samples = 0;          ///< Omitted sample lines (JournalPart::Lists).
    std::int64_t lastStep = 0;         ///< Step of the last entry, omitted or not; 0 if none was read.
};

/// A subset of journal entries. Programs, samples and verdicts are the largest part; the list of runs, charts
/// and logs do not need them.
enum class JournalPart
{
    Everything,
    Lists,     ///< All except programs, samples and verdicts, which are skipped quickly.
    Candidates ///< Only programs, samples and verdicts.
};

/// Reads complete lines from `from`, about `maxBytes` at a time. Leaves an incomplete last line for the next
/// call. If the run was resumed since (`gen` differs, or the file is shorter) or the file was replaced, reads
/// nothing, sets `rewound`, and sets `next` to the start of the file in the new generation. A missing journal
/// is empty.
Result<JournalBatch> readJournal(const std::filesystem::path& runDirectory, JournalPosition from,
                                 std::int64_t maxBytes = 4 << 20, JournalPart part = JournalPart::Everything);

/// Passes every entry of a journal to `visit`, in order, with memory for one batch. Calls `restart` if the
/// run is resumed meanwhile, which invalidates all earlier visits.
Status visitJournal(const std::filesystem::path& runDirectory,
                    const std::function<void(JournalEntry&&)>& visit,
                    const std::function<void()>& restart = {});

/// All entries of a journal at once: for short ones and for tests.
Result<std::vector<JournalEntry>> readWholeJournal(const std::filesystem::path& runDirectory);

} // namespace sparserl

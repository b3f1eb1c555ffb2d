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
/// Lines are collected and written in one write(2) when 64 KiB have gathered, half a second has passed since
/// the last write, or the event is a `state`, `control`, `checkpoint` or `evaluation`; `state` and
/// `checkpoint` are also fsynced. A crash therefore loses at most what a resume replays anyway, and tears at
/// most the last line.
class JournalWriter
{
public:
    /// Opens for appending and reads what is there: the next seq, the programs already stored. A torn last
    /// line is cut off (kept in journal.torn). `gen` is what new entries carry;
    /// their seq begins behind what is there, and not below `leastSeq`.
    static Result<JournalWriter> open(const std::filesystem::path& file, int gen, std::int64_t leastSeq = 0);

    JournalWriter(JournalWriter&&) noexcept;
    JournalWriter& operator=(JournalWriter&&) noexcept;
    ~JournalWriter(); ///< Flushes; call sync() where the outcome matters.

    /// Fails if the disk does (full, gone); the sentence names the file.
    Status append(std::int64_t step, const Event& event);
    /// Stores the text unless this run has it already.
    Status appendProgram(std::int64_t step, std::string_view hash, std::string_view text);
    bool hasProgram(std::string_view hash) const;

    Status flush(); ///< Everything appended is visible to readers.
    Status sync();  ///< ... and survives power loss.

    int generation() const;
    std::int64_t nextSeq() const;
    /// seq, gen and t of the entry that was appended last, as the file has them; without its event.
    JournalEntry lastStamp() const;
    std::int64_t length() const; ///< Bytes in the file once flushed: what a checkpoint records.

private:
    struct Impl;
    explicit JournalWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// Where a reader of a journal stands.
struct JournalPosition
{
    int gen = 0;
    std::int64_t offset = 0; ///< Bytes; always at the start of a line.
    /// Time of the last entry before `offset`, where it is known: if another one stands there, the file was
    /// replaced.
    std::optional<double> t;
};

/// What a read gave.
struct JournalBatch
{
    std::vector<JournalEntry> entries;
    JournalPosition next; ///< Where to go on.
    bool rewound = false; ///< The run was resumed: forget all entries read before, start at `next`.
    bool atEnd = true;    ///< False: more complete lines are there, read again.
    std::vector<std::string> problems; ///< Sentences about unreadable lines; they are skipped.
    std::int64_t samples = 0;          ///< Lines of samples that were left out (JournalPart::Lists).
    std::int64_t lastStep = 0;         ///< Of the last entry, left out or not; 0 where none was read.
};

/// Which entries of a journal. Programs, samples and verdicts are most of it, and the list of runs, their
/// charts and logs need none of them.
enum class JournalPart
{
    Everything,
    Lists,     ///< All but programs, samples and verdicts, which are hardly looked at.
    Candidates ///< Those alone.
};

/// Reads the complete lines behind `from`, about `maxBytes` at a time. A torn or half-written last line is
/// left for the next call. If the run has been resumed since (`gen` differs, or the file is shorter) or the
/// file was replaced, nothing is read, `rewound` is set and `next` is the start of the file in the new
/// generation. A missing journal is empty.
Result<JournalBatch> readJournal(const std::filesystem::path& runDirectory, JournalPosition from,
                                 std::int64_t maxBytes = 4 << 20, JournalPart part = JournalPart::Everything);

/// Gives every entry of a journal to `visit`, in order, with memory for a batch only. `restart` is called
/// where the run was resumed meanwhile: what was visited before is void then.
Status visitJournal(const std::filesystem::path& runDirectory,
                    const std::function<void(JournalEntry&&)>& visit,
                    const std::function<void()>& restart = {});

/// All entries of a journal at once: for short ones and for tests.
Result<std::vector<JournalEntry>> readWholeJournal(const std::filesystem::path& runDirectory);

} // namespace sparserl

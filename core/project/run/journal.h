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

/// Appends events to a journal.jsonl. There must be only one writer at a time; the worker holds the run's
/// lock. Thread-safe.
///
/// Lines are buffered. They are written in one write(2) when 64 KiB have accumulated, when half a second has
/// passed since the last write, or when the event is a `state`, `control`, `checkpoint` or `evaluation`.
/// After a `state` or `checkpoint`, fsync is called. A crash therefore loses only events that a resume
/// produces again, and leaves at most the last line incomplete.
class JournalWriter
{
public:
    /// Opens the file for appending, and reads which programs it contains. Moves an incomplete last line to
    /// journal.torn. New entries have the generation `gen`. Their seq continues that of the existing entries
    /// and is at least `leastSeq`.
    static Result<JournalWriter> open(const std::filesystem::path& file, int gen, std::int64_t leastSeq = 0);

    JournalWriter(JournalWriter&&) noexcept;
    JournalWriter& operator=(JournalWriter&&) noexcept;
    ~JournalWriter(); ///< Flushes and ignores errors. Call sync() first if the result matters.

    /// Appends an event. Fails, with the name of the file, if the disk is full or missing.
    Status append(std::int64_t step, const Event& event);
    /// Appends the text of a program unless the journal already contains it.
    Status appendProgram(std::int64_t step, std::string_view hash, std::string_view text);
    bool hasProgram(std::string_view hash) const;

    Status flush(); ///< Makes all entries visible to readers.
    Status sync();  ///< Makes all entries visible to readers and durable across a power failure.

    int generation() const;
    std::int64_t nextSeq() const;
    /// Returns the last entry as stored, with seq, gen and t but without its event.
    JournalEntry lastStamp() const;
    std::int64_t length() const; ///< Length of the file after flush(). Checkpoints record it.

private:
    struct Impl;
    explicit JournalWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// The position of a journal reader.
struct JournalPosition
{
    int gen = 0;
    std::int64_t offset = 0; ///< Offset in bytes; always the start of a line.
    /// Time of the last entry before `offset`, if known. If the entry at that place has another time, the
    /// file was replaced.
    std::optional<double> t;
};

/// The result of reading a part of a journal.
struct JournalBatch
{
    std::vector<JournalEntry> entries;
    JournalPosition next; ///< Position at which to continue.
    /// The run was resumed. Discard all entries that were read before, and continue at `next`.
    bool rewound = false;
    bool atEnd = true;                 ///< If false, there are more complete lines; read again.
    std::vector<std::string> problems; ///< Sentences about unreadable lines, which are skipped.
    std::int64_t samples = 0;          ///< Number of sample lines that were skipped (JournalPart::Lists).
    std::int64_t lastStep = 0; ///< Step of the last entry, even if it was skipped; 0 if there was none.
};

/// Selects entries of a journal. Programs, samples and verdicts are the largest part of a journal. The list
/// of runs, charts and logs do not need them.
enum class JournalPart
{
    Everything,
    Lists,     ///< All entries except programs, samples and verdicts, which are skipped without parsing.
    Candidates ///< Programs, samples and verdicts.
};

/// Reads about `maxBytes` of complete lines, starting at `from`. Leaves an incomplete last line for the next
/// call. If the run has been resumed (`gen` differs, or the file is shorter) or the file was replaced, reads
/// nothing, sets `rewound`, and sets `next` to the start of the file in the new generation. A journal that
/// does not exist counts as empty.
Result<JournalBatch> readJournal(const std::filesystem::path& runDirectory, JournalPosition from,
                                 std::int64_t maxBytes = 4 << 20, JournalPart part = JournalPart::Everything);

/// Passes every entry of a journal to `visit`, in order. Keeps only one batch in memory. If the run is
/// resumed during the call, calls `restart` and starts again; all earlier visits are then void.
Status visitJournal(const std::filesystem::path& runDirectory,
                    const std::function<void(JournalEntry&&)>& visit,
                    const std::function<void()>& restart = {});

/// Reads all entries of a journal at once. Use it for short journals and in tests.
Result<std::vector<JournalEntry>> readWholeJournal(const std::filesystem::path& runDirectory);

} // namespace sparserl

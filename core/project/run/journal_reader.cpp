// SPDX-License-Identifier: Apache-2.0
#include "base/beneath.h"
#include "base/json.h"
#include "base/printable.h"
#include "project/files/file_handle.h"
#include "project/files/line_reader.h"
#include "project/files/run_files.h"
#include "project/run/generation.h"
#include "project/run/journal.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace sparserl {
namespace {

JournalBatch rewound(int gen)
{
    JournalBatch batch;
    batch.next = {gen, 0};
    batch.rewound = true;
    batch.atEnd = false;
    return batch;
}

Result<JournalEntry> entryFrom(std::string_view line)
{
    SPARSERL_TRY(const auto json, parseJson(line));
    return journalEntryFromJson(json);
}

enum class LineKind
{
    Unknown, ///< Somebody else's line: it has to be parsed.
    List,
    Sample,
    OtherCandidate ///< A program or a verdict.
};

/// What a line of our own is, by a look at its beginning. A string cannot hold the unescaped quotes that are
/// looked for; an object or a list before the key could.
LineKind lineKindOf(std::string_view line)
{
    constexpr std::string_view key = "\"kind\":\"";
    const auto at = line.find(key);
    if (at == std::string_view::npos || line.front() != '{' ||
        line.substr(0, at).find_first_of("{[", 1) != std::string_view::npos)
        return LineKind::Unknown;
    const std::string_view kind = line.substr(at + key.size());
    if (kind.starts_with("sample\""))
        return LineKind::Sample;
    return kind.starts_with("program\"") || kind.starts_with("verdict\"") ? LineKind::OtherCandidate
                                                                          : LineKind::List;
}

LineKind eventKindOf(const Event& event)
{
    if (std::holds_alternative<SampleEvent>(event))
        return LineKind::Sample;
    return std::holds_alternative<ProgramEvent>(event) || std::holds_alternative<VerdictEvent>(event)
               ? LineKind::OtherCandidate
               : LineKind::List;
}

bool belongsTo(LineKind kind, JournalPart part)
{
    return kind == LineKind::Unknown || part == JournalPart::Everything ||
           (kind == LineKind::List) == (part == JournalPart::Lists);
}

/// Takes the lines of a batch, and leaves out those of another part.
class BatchFiller
{
public:
    BatchFiller(JournalBatch& batch, JournalPart part, const std::filesystem::path& path)
        : m_batch(batch)
        , m_part(part)
        , m_path(path)
    {
    }
    void take(const LineReader::Line& line)
    {
        LineKind kind = m_part == JournalPart::Everything ? LineKind::Unknown : lineKindOf(line.text);
        if (!belongsTo(kind, m_part)) {
            m_batch.samples += kind == LineKind::Sample && m_part == JournalPart::Lists ? 1 : 0;
            m_leftOut = line.text;
            return;
        }
        auto entry = entryFrom(line.text);
        if (!entry) {
            // Of a line that nobody knows the part of, one of the two readers tells.
            if (kind != LineKind::Unknown || m_part != JournalPart::Candidates)
                m_batch.problems.push_back(
                    fmt::format("{}: the entry at byte {} is unreadable and was skipped: {}", m_path.string(),
                                line.offset, shortened(entry.error().what)));
            return;
        }
        // Some programs write what they do not know as NaN: the rest of the entry counts all the same.
        if (!std::isfinite(entry->t)) {
            parseLeftOut();
            entry->t = m_batch.next.t.value_or(0);
        }
        m_leftOut.clear();
        m_batch.next.t = entry->t;
        m_batch.lastStep = entry->step;
        kind = eventKindOf(entry->event);
        if (belongsTo(kind, m_part))
            m_batch.entries.push_back(std::move(*entry));
        else
            m_batch.samples += kind == LineKind::Sample ? 1 : 0;
    }
    /// What was left out last says where the batch ends.
    void finish() { parseLeftOut(); }

private:
    void parseLeftOut()
    {
        if (m_leftOut.empty())
            return;
        if (const auto entry = entryFrom(std::exchange(m_leftOut, {}))) {
            m_batch.next.t = std::isfinite(entry->t) ? entry->t : m_batch.next.t.value_or(0);
            m_batch.lastStep = entry->step;
        }
    }

    JournalBatch& m_batch;
    JournalPart m_part;
    const std::filesystem::path& m_path;
    std::string m_leftOut; ///< The line before, if it was left out.
};

/// Whether the file is the one that was read up to `from`: a line ends there, and it is the one that was read
/// last. A line that is very long or no entry decides nothing.
Result<bool> isSameJournal(const FileHandle& file, const JournalPosition& from)
{
    constexpr std::int64_t most = 64 << 10;
    const std::int64_t begin = from.t ? std::max<std::int64_t>(0, from.offset - most) : from.offset - 1;
    SPARSERL_TRY(const std::string bytes, file.read(begin, from.offset - begin));
    if (!bytes.ends_with('\n'))
        return false;
    const std::string_view text = std::string_view(bytes).substr(0, bytes.size() - 1);
    const std::size_t start = text.rfind('\n');
    if (!from.t || (start == std::string_view::npos && begin > 0))
        return true;
    const auto entry = entryFrom(start == std::string_view::npos ? text : text.substr(start + 1));
    return !entry || !std::isfinite(entry->t) || entry->t == *from.t;
}

} // namespace

Result<JournalBatch> readJournal(const std::filesystem::path& runDirectory, JournalPosition from,
                                 std::int64_t maxBytes, JournalPart part)
{
    const auto path = runDirectory / journalFile;
    const int gen = readGeneration(runDirectory);
    if (gen != from.gen)
        return rewound(gen);
    JournalBatch batch;
    batch.next = from;
    SPARSERL_TRY(const auto there, lookAt(path));
    if (!there.exists) {
        if (from.offset > 0)
            return rewound(gen);
        return batch;
    }
    SPARSERL_TRY(const auto file, FileHandle::openRead(path));
    SPARSERL_TRY(const auto size, file.size());
    if (size < from.offset)
        return rewound(gen);
    if (size == from.offset)
        return batch;
    if (from.offset > 0) {
        SPARSERL_TRY(const bool same, isSameJournal(file, from));
        if (!same)
            return rewound(gen);
    }
    // As many lines as begin within maxBytes; one that is longer still arrives.
    LineReader lines(file, from.offset, size, std::clamp<std::int64_t>(maxBytes, 4096, 1 << 20));
    const std::int64_t enough = from.offset + std::max<std::int64_t>(maxBytes, 1);
    batch.atEnd = false;
    BatchFiller filler(batch, part, path);
    while (batch.next.offset < enough) {
        SPARSERL_TRY(const auto line, lines.next());
        if (!line) {
            batch.atEnd = true; // what is left is a torn line, which stays unread until it is complete
            if (const auto rest = lines.rest(path); !rest)
                batch.problems.push_back(rest.error().sentence());
            break;
        }
        batch.next.offset = line->end;
        if (line->text.empty())
            continue;
        filler.take(*line);
    }
    filler.finish();
    batch.atEnd = batch.atEnd || batch.next.offset >= size;
    // A resume between the two looks would mix two histories; nothing of this batch counts then.
    if (const int now = readGeneration(runDirectory); now != gen)
        return rewound(now);
    return batch;
}

Status visitJournal(const std::filesystem::path& runDirectory,
                    const std::function<void(JournalEntry&&)>& visit, const std::function<void()>& restart)
{
    JournalPosition position;
    for (;;) {
        SPARSERL_TRY(auto batch, readJournal(runDirectory, position));
        if (batch.rewound && restart)
            restart();
        for (JournalEntry& entry : batch.entries)
            visit(std::move(entry));
        position = batch.next;
        if (batch.atEnd)
            return {};
    }
}

Result<std::vector<JournalEntry>> readWholeJournal(const std::filesystem::path& runDirectory)
{
    std::vector<JournalEntry> entries;
    const auto status = visitJournal(
        runDirectory, [&](JournalEntry&& entry) { entries.push_back(std::move(entry)); },
        [&] { entries.clear(); });
    if (!status)
        return fail(status.error());
    return entries;
}

} // namespace sparserl

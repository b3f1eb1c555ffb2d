// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "project/file_handle.h"
#include "project/generation.h"
#include "project/journal.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace sparserl {
namespace {

/// The bytes from `offset` up to and including a line break, about `maxBytes`; empty if no line is complete.
Result<std::string> readLines(const FileHandle& file, std::int64_t offset, std::int64_t size,
                              std::int64_t maxBytes)
{
    for (std::int64_t want = maxBytes;; want *= 4) { // a line may be longer than maxBytes
        const std::int64_t count = std::min(want, size - offset);
        auto text = file.read(offset, count);
        if (!text)
            return text;
        const std::size_t end = text->rfind('\n');
        if (end != std::string::npos) {
            text->resize(end + 1);
            return text;
        }
        if (count == size - offset)
            return std::string();
    }
}

JournalBatch rewound(int gen)
{
    JournalBatch batch;
    batch.next = {gen, 0};
    batch.rewound = true;
    batch.atEnd = false;
    return batch;
}

} // namespace

Result<JournalBatch> readJournal(const std::filesystem::path& runDirectory, JournalPosition from,
                                 std::int64_t maxBytes)
{
    const auto path = runDirectory / "journal.jsonl";
    const int gen = readGeneration(runDirectory);
    if (gen != from.gen)
        return rewound(gen);
    JournalBatch batch;
    batch.next = from;
    std::error_code code;
    if (!std::filesystem::exists(path, code)) {
        if (from.offset > 0)
            return rewound(gen);
        return batch;
    }
    const auto file = FileHandle::openRead(path);
    if (!file)
        return fail(file.error());
    const auto size = file->size();
    if (!size)
        return fail(size.error());
    if (*size < from.offset)
        return rewound(gen);
    if (*size == from.offset)
        return batch;
    const auto text = readLines(*file, from.offset, *size, std::max<std::int64_t>(maxBytes, 4096));
    if (!text)
        return fail(text.error());

    std::size_t at = 0;
    while (at < text->size()) {
        const std::size_t end = text->find('\n', at);
        const std::string_view line = std::string_view(*text).substr(at, end - at);
        const std::int64_t offset = from.offset + static_cast<std::int64_t>(at);
        at = end + 1;
        if (line.empty())
            continue;
        const auto json = parseJson(line);
        auto entry = json ? journalEntryFromJson(*json) : Result<JournalEntry>(fail(json.error()));
        if (entry)
            batch.entries.push_back(std::move(*entry));
        else
            batch.problems.push_back(fmt::format("{}: the entry at byte {} is unreadable and was skipped: {}",
                                                 path.string(), offset, entry.error().what));
    }
    // A resume between the two looks would mix two histories; nothing of this batch counts then.
    if (const int now = readGeneration(runDirectory); now != gen)
        return rewound(now);
    batch.next.offset = from.offset + static_cast<std::int64_t>(text->size());
    // A torn last line stays unread until it is complete.
    batch.atEnd = batch.next.offset >= *size || static_cast<std::int64_t>(text->size()) < maxBytes;
    return batch;
}

Result<std::vector<JournalEntry>> readWholeJournal(const std::filesystem::path& runDirectory)
{
    std::vector<JournalEntry> entries;
    JournalPosition position;
    for (;;) {
        auto batch = readJournal(runDirectory, position, 16 << 20);
        if (!batch)
            return fail(batch.error());
        if (batch->rewound)
            entries.clear();
        entries.insert(entries.end(), std::make_move_iterator(batch->entries.begin()),
                       std::make_move_iterator(batch->entries.end()));
        position = batch->next;
        if (batch->atEnd && !batch->rewound)
            return entries;
    }
}

} // namespace sparserl

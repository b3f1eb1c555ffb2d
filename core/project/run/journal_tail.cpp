// SPDX-License-Identifier: Apache-2.0
#include "project/run/journal_tail.h"

#include "base/json.h"
#include "project/files/file_handle.h"
#include "project/files/line_reader.h"
#include "project/files/run_files.h"
#include "project/run/generation.h"
#include "project/run/metrics.h"

#include <algorithm>
#include <string_view>

namespace sparserl {
namespace {

constexpr std::int64_t blockBytes = 1 << 20, correctRateBytes = 8 << 20;

/// The event of a line, if it is of this kind and the line contains `word`. Most lines need no parser.
template <typename Event>
std::optional<Event> eventOf(std::string_view line, std::string_view word)
{
    if (line.find(word) == std::string_view::npos)
        return std::nullopt;
    const auto json = parseJson(line);
    const auto entry = json ? journalEntryFromJson(*json) : Result<JournalEntry>(fail(json.error()));
    const auto* event = entry ? std::get_if<Event>(&entry->event) : nullptr;
    return event ? std::optional(*event) : std::nullopt;
}

std::optional<double> correctRateOf(std::string_view line)
{
    const auto metrics = eventOf<MetricEvent>(line, metric::correctRate.text);
    if (!metrics)
        return std::nullopt;
    const auto rate = metrics->values.find(std::string(metric::correctRate));
    return rate == metrics->values.end() ? std::nullopt : std::optional(rate->second);
}

/// What `of` finds in the last line behind `from` in which it finds anything.
template <typename Found>
std::optional<Found> lastIn(const std::filesystem::path& runDirectory, JournalPosition from,
                            std::int64_t mostBytes, std::optional<Found> (*of)(std::string_view line))
{
    if (readGeneration(runDirectory) != from.gen)
        return std::nullopt;
    const auto file = FileHandle::openRead(runDirectory / journalFile);
    const auto size = file ? file->size() : Result<std::int64_t>(fail(file.error()));
    if (!size)
        return std::nullopt;
    const std::int64_t first = *size - std::min(mostBytes, *size - from.offset);
    std::string text; // From `begin` to the end of the last line that was not looked at.
    bool torn = true; // What stands behind the last line break is no line yet.
    for (std::int64_t begin = *size; begin > first;) {
        const std::int64_t count = std::min(blockBytes, begin - first);
        auto block = file->read(begin - count, count);
        if (!block)
            return std::nullopt;
        begin -= count;
        text.insert(0, *block);
        for (std::size_t at = text.rfind('\n'); at != std::string::npos; at = text.rfind('\n')) {
            if (auto found = torn ? std::nullopt : of(std::string_view(text).substr(at + 1)))
                return found;
            torn = false;
            text.resize(at);
        }
        if (torn)
            text.clear();
        // Longer than any line: damage, or made to be read for ever.
        if (text.size() > LineReader::longest || (torn && *size - begin > LineReader::endless))
            return std::nullopt;
    }
    // The first line is whole only where a line begins.
    return torn || first != from.offset ? std::nullopt : of(text);
}

} // namespace

std::optional<StateEvent> lastState(const std::filesystem::path& runDirectory, JournalPosition from,
                                    std::int64_t mostBytes)
{
    return lastIn<StateEvent>(runDirectory, from, mostBytes, [](std::string_view line) {
        return eventOf<StateEvent>(line, R"("kind":"state")");
    });
}

std::optional<double> lastCorrectRate(const std::filesystem::path& runDirectory)
{
    return lastIn<double>(runDirectory, {readGeneration(runDirectory), 0}, correctRateBytes, correctRateOf);
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/listing_counts.h"

#include <QStringList>
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace sparserl {

namespace {

enum class Work
{
    GlobalRead,
    GlobalWrite,
    GlobalAtomic,
    SharedRead,
    SharedWrite,
    SharedAtomic,
    Branch,
    Barrier,
    Other
};

/// What an instruction does, by the words of its name; nothing where a line has none.
std::optional<Work> workOf(const QString& line, CodeKind kind)
{
    const QString name = instructionOn(line).name;
    if (name.isEmpty())
        return std::nullopt;
    const QStringList parts = name.split(QLatin1Char('.'));
    const QString& word = parts.first();
    if (kind == CodeKind::Ptx) {
        const bool shared = parts.value(1).startsWith(QLatin1String("shared")) ||
                            parts.value(2).startsWith(QLatin1String("shared"));
        if (word == QLatin1String("ld"))
            return parts.contains(QLatin1String("param")) ? Work::Other
                   : shared                               ? Work::SharedRead
                                                          : Work::GlobalRead;
        if (word == QLatin1String("st"))
            return shared ? Work::SharedWrite : Work::GlobalWrite;
        if (word == QLatin1String("atom") || word == QLatin1String("red"))
            return shared ? Work::SharedAtomic : Work::GlobalAtomic;
        if (word == QLatin1String("bra") || word == QLatin1String("brx"))
            return Work::Branch;
        return word == QLatin1String("bar") || word == QLatin1String("barrier") ? Work::Barrier : Work::Other;
    }
    static const std::map<QString, Work> words{
        {QStringLiteral("LDG"), Work::GlobalRead},     {QStringLiteral("LD"), Work::GlobalRead},
        {QStringLiteral("LDGSTS"), Work::GlobalRead},  {QStringLiteral("STG"), Work::GlobalWrite},
        {QStringLiteral("ST"), Work::GlobalWrite},     {QStringLiteral("ATOMG"), Work::GlobalAtomic},
        {QStringLiteral("ATOM"), Work::GlobalAtomic},  {QStringLiteral("RED"), Work::GlobalAtomic},
        {QStringLiteral("REDG"), Work::GlobalAtomic},  {QStringLiteral("LDS"), Work::SharedRead},
        {QStringLiteral("LDSM"), Work::SharedRead},    {QStringLiteral("STS"), Work::SharedWrite},
        {QStringLiteral("ATOMS"), Work::SharedAtomic}, {QStringLiteral("BRA"), Work::Branch},
        {QStringLiteral("BRX"), Work::Branch},         {QStringLiteral("BAR"), Work::Barrier}};
    const auto found = words.find(word);
    return found != words.end() ? found->second : Work::Other;
}

/// Lines of a listing by line of the program and by what they do.
using Places = std::map<std::pair<int, Work>, std::vector<int>>;

Places placesOf(const CodeListing& listing)
{
    Places places;
    const QStringList texts = listing.text.split(QLatin1Char('\n'));
    const auto count = std::min(static_cast<std::size_t>(texts.size()), listing.lines.size());
    for (std::size_t i = 0; i < count; ++i)
        if (const auto work = workOf(texts[static_cast<qsizetype>(i)], listing.kind))
            places[{listing.lines[i], *work}].push_back(static_cast<int>(i) + 1);
    return places;
}

constexpr std::int64_t LineCounters::*countedMembers[] = {
    &LineCounters::warpInstructions, &LineCounters::threadInstructions,
    &LineCounters::globalSectors,    &LineCounters::l1Hits,
    &LineCounters::l2Hits,           &LineCounters::dramSectors,
    &LineCounters::bankConflicts,    &LineCounters::atomics,
    &LineCounters::divergentBranches};

} // namespace

std::vector<LineCounters> sassCounters(const CodeListing& ptx, const std::vector<LineCounters>& ptxLines,
                                       const CodeListing& sass)
{
    std::map<int, const LineCounters*> ran; // by line of the PTX
    for (const LineCounters& line : ptxLines)
        ran[line.line] = &line;
    std::map<int, LineCounters> result;
    const Places from = placesOf(ptx), to = placesOf(sass);
    for (const auto& [place, lines] : to) {
        const auto source = from.find(place);
        if (source == from.end())
            continue; // what the assembler added by itself: nothing is known of it
        const auto& origins = source->second;
        // Arithmetic is combined and left out: each that is left runs as often as those on the line did on
        // average. Accesses are neither: what all of them did is shared.
        const bool accesses = place.second != Work::Other;
        const auto shared = static_cast<std::int64_t>(accesses ? lines.size() : origins.size());
        for (const auto member : countedMembers) {
            std::int64_t sum = 0;
            for (const int line : origins)
                if (const auto found = ran.find(line); found != ran.end())
                    sum += found->second->*member;
            for (std::size_t i = 0; i < lines.size(); ++i) {
                // What does not divide goes to the first ones, so that the sum stays.
                const auto at = static_cast<std::int64_t>(i);
                result[lines[i]].*member = sum / shared + (accesses && at < sum % shared ? 1 : 0);
            }
        }
    }
    std::vector<LineCounters> counters;
    for (auto& [line, one] : result) {
        one.line = line;
        counters.push_back(one);
    }
    return counters;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/json.h"
#include "project/candidate_query.h"
#include "project/program_numbers.h"
#include "project/reader_impl.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <unordered_map>
#include <utility>

namespace sparserl {
namespace {

constexpr const char* candidateColumns =
    "s.run, s.seq, ifnull(r.name,''), s.step, s.t, s.program, s.target, s.target_name, s.origin, s.split, "
    "s.family, "
    "s.verdict, "
    "s.flags, s.message, s.speedup, s.micros, s.reward, s.log_prob, s.tokens, a.star, a.pin, a.note, "
    "s.target_key, a.sft";
constexpr const char* candidateTables =
    "sample s LEFT JOIN run r ON r.id=s.run LEFT JOIN annotation a ON a.target='program' AND a.key=s.program";

VerdictFlags splitFlags(const std::string& joined)
{
    std::vector<std::string> flags;
    std::string flag;
    for (const char c : joined) {
        if (c != ',') {
            flag += c;
        } else if (!flag.empty()) {
            flags.push_back(flag);
            flag.clear();
        }
    }
    return VerdictFlags(std::move(flags));
}

CandidateRow rowFrom(const sql::Statement& row)
{
    CandidateRow out;
    out.id = {row.integer(0), row.integer(1)};
    out.runName = row.text(2);
    out.step = row.integer(3);
    out.t = row.real(4);
    out.programHash = row.text(5);
    out.origin = row.text(8);
    out.split = row.text(9);
    out.family = row.text(10);
    if (!row.isNull(11))
        out.verdict = verdictFromName(row.text(11));
    out.flags = splitFlags(row.text(12));
    out.message = row.text(13);
    out.speedup = row.real(14);
    out.microseconds = row.real(15);
    out.reward = row.real(16);
    out.logProb = row.real(17);
    out.tokens = row.integer(18);
    out.starred = row.integer(19) != 0;
    out.pinned = row.integer(20) != 0;
    out.note = row.text(21);
    const std::string key = row.text(22);
    out.target = TargetId::fromKey(key).value_or(TargetId{.contents = row.text(6)});
    out.target.name = row.text(7);
    out.inSftSet = row.text(23).find("," + key + ",") != std::string::npos;
    return out;
}

} // namespace

Result<std::vector<LineageRow>> ProjectReader::lineage(CandidateId id)
{
    return m_impl->read([&] {
        constexpr std::size_t longest = 1000; // of a journal that goes in circles
        std::vector<LineageRow> way;
        auto own = m_impl->db.prepare(fmt::format("SELECT {}, s.proposal FROM {} WHERE s.run=? AND s.seq=?",
                                                  candidateColumns, candidateTables));
        auto parent = m_impl->db.prepare(
            fmt::format("SELECT {}, s.proposal FROM {} WHERE s.run=? AND s.program=? AND s.target_key=? AND "
                        "s.proposal<>'' LIMIT 1",
                        candidateColumns, candidateTables));
        own.bindAll(id.run, id.seq);
        const auto take = [&way](sql::Statement& row) {
            constexpr int proposalColumn = 24;
            if (!row.step())
                return false;
            const auto json = parseJson(row.text(proposalColumn));
            if (json)
                way.push_back({rowFrom(row), proposalFromJson(*json)});
            row.reset();
            return json.has_value();
        };
        for (bool more = take(own); more && way.size() < longest;) {
            const LineageRow& last = way.back();
            if (last.proposal.parents.empty())
                break;
            parent.bindAll(id.run, last.proposal.parents.front(), last.candidate.target.key());
            more = take(parent);
        }
        std::reverse(way.begin(), way.end());
        return way;
    });
}

Result<std::vector<CandidateRow>> ProjectReader::candidateRows(const std::vector<CandidateId>& ids)
{
    return m_impl->read([&] {
        std::vector<CandidateRow> list;
        list.reserve(ids.size());
        auto row = m_impl->db.prepare(
            fmt::format("SELECT {} FROM {} WHERE s.run=? AND s.seq=?", candidateColumns, candidateTables));
        for (const CandidateId& id : ids) {
            row.bindAll(id.run, id.seq);
            if (row.step())
                list.push_back(rowFrom(row));
            row.reset();
        }
        return list;
    });
}

namespace {

/// Counts of one column's values, with a label for each.
struct Counter
{
    struct Item
    {
        std::string label;
        std::int64_t count = 0;
        std::size_t number = 0;
    };
    std::unordered_map<std::string, Item> items;
    std::vector<std::uint64_t> pairs; ///< Where programs count once: number of a value, of a program.

    void add(const std::string& value, const std::string& label, std::optional<std::uint32_t> program)
    {
        Item& item = items[value];
        if (item.count++ == 0) {
            item.label = label;
            item.number = items.size() - 1;
        }
        if (program)
            pairs.push_back(std::uint64_t{item.number} << 32 | *program);
    }

    /// From how often a value occurs to how many programs it occurs with.
    void countPrograms()
    {
        std::sort(pairs.begin(), pairs.end());
        pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
        std::vector<std::int64_t> counts(items.size());
        for (const std::uint64_t pair : pairs)
            ++counts[pair >> 32];
        for (auto& [value, item] : items)
            item.count = counts[item.number];
    }

    /// Most frequent first; samples without a value (no family, no flag) are not listed.
    std::vector<FacetCount> list() const
    {
        std::vector<FacetCount> counts;
        for (const auto& [value, item] : items) {
            if (!value.empty())
                counts.push_back({value, item.label, item.count});
        }
        std::sort(counts.begin(), counts.end(), [](const FacetCount& x, const FacetCount& y) {
            return x.count != y.count ? x.count > y.count : x.value < y.value;
        });
        return counts;
    }
};

constexpr int facetColumns = 9;
constexpr std::array<Facet, facetColumns> facetOrder{Facet::Verdict, Facet::Matrix, Facet::Run,
                                                     Facet::Family,  Facet::Flag,   Facet::Origin,
                                                     Facet::Split,   Facet::Task,   Facet::Speedup};

std::string rangeOf(double speedup)
{
    for (const SpeedupRange& range : speedupRanges)
        if (speedup > 0 && speedup >= range.from && speedup < range.to)
            return range.name;
    return {};
}

bool isRestricted(const CandidateFilter& filter, Facet facet)
{
    switch (facet) {
    case Facet::Verdict:
        return !filter.verdicts.empty();
    case Facet::Matrix:
        return !filter.matrices.empty();
    case Facet::Task:
        return !filter.tasks.empty();
    case Facet::Run:
        return !filter.runs.empty();
    case Facet::Family:
        return !filter.families.empty();
    case Facet::Flag:
        return !filter.flags.empty();
    case Facet::Origin:
        return !filter.origins.empty();
    case Facet::Split:
        return !filter.splits.empty();
    case Facet::Speedup:
        return !filter.speedups.empty();
    case Facet::None:
        break;
    }
    return false;
}

} // namespace

Result<CandidateFacets> ProjectReader::facets(const CandidateFilter& filter, const CancelToken& cancel)
{
    return m_impl->read([&] {
        const sql::Interruptible until(m_impl->db, cancel);
        std::array<Counter, facetColumns> counters;
        const bool once = filter.distinctPrograms && filter.programHash.empty();
        // One pass over the samples, counting here, for all facets that share a filter; another for each
        // facet that is restricted itself.
        const auto pass = [&](Facet without, const std::vector<int>& columns) {
            const CandidateQuery query = CandidateQuery::of(filter, without);
            auto rows = m_impl->db.prepare(
                "SELECT ifnull(s.verdict,'unjudged'), s.target, s.run, s.family, s.flags, "
                "s.origin, s.split, s.task, s.speedup, s.target_name, s.program FROM sample s WHERE " +
                query.where);
            query.bindTo(rows);
            std::int64_t total = 0;
            ProgramNumbers programs;
            while (rows.step()) {
                ++total;
                std::optional<std::uint32_t> program;
                if (once)
                    program = programs.of(rows.textView(facetColumns + 1));
                for (const int column : columns) {
                    Counter& counter = counters[static_cast<std::size_t>(column)];
                    const Facet facet = facetOrder[static_cast<std::size_t>(column)];
                    const std::string value =
                        facet == Facet::Speedup ? rangeOf(rows.real(column)) : rows.text(column);
                    if (facet != Facet::Flag)
                        counter.add(value, facet == Facet::Matrix ? rows.text(facetColumns) : value, program);
                    else
                        for (const std::string& flag : splitFlags(value))
                            counter.add(flag, flag, program);
                }
            }
            if (!once || std::cmp_equal(programs.size(), total)) // each occurs once anyway
                return total;
            for (const int column : columns)
                counters[static_cast<std::size_t>(column)].countPrograms();
            return static_cast<std::int64_t>(programs.size());
        };
        std::vector<int> shared;
        for (int column = 0; column < facetColumns; ++column) {
            const Facet facet = facetOrder[static_cast<std::size_t>(column)];
            if (isRestricted(filter, facet))
                pass(facet, {column});
            else
                shared.push_back(column);
        }
        CandidateFacets out;
        out.total = pass(Facet::None, shared);
        std::vector<FacetCount>* lists[] = {&out.verdicts, &out.matrices, &out.runs,
                                            &out.families, &out.flags,    &out.origins,
                                            &out.splits,   &out.tasks,    &out.speedups};
        for (std::size_t i = 0; i < facetColumns; ++i)
            *lists[i] = counters[i].list();
        const auto place = [](const FacetCount& count) {
            return std::find_if(std::begin(speedupRanges), std::end(speedupRanges),
                                [&](const SpeedupRange& range) { return count.value == range.name; });
        };
        std::sort(out.speedups.begin(), out.speedups.end(),
                  [&](const FacetCount& x, const FacetCount& y) { return place(x) < place(y); });
        const auto flagPlace = [](const FacetCount& count) { // Those of a newer version last.
            const auto flag = verdictFlagFromName(count.value);
            return std::pair(flag ? static_cast<int>(*flag) : 1000, count.value);
        };
        std::sort(out.flags.begin(), out.flags.end(),
                  [&](const FacetCount& x, const FacetCount& y) { return flagPlace(x) < flagPlace(y); });
        for (FacetCount& run : out.runs)
            run.label = m_impl->runName(std::stoll(run.value));
        return out;
    });
}

Result<CandidateRow> ProjectReader::candidate(CandidateId id)
{
    auto found = m_impl->read([&] {
        auto row = m_impl->db.prepare(
            fmt::format("SELECT {} FROM {} WHERE s.run=? AND s.seq=?", candidateColumns, candidateTables));
        row.bindAll(id.run, id.seq);
        return row.step() ? std::optional(rowFrom(row)) : std::nullopt;
    });
    if (!found)
        return fail(found.error());
    if (!*found)
        return fail("this candidate is no longer in the index", "Its run may have been resumed or removed");
    return std::move(**found);
}

Result<std::string> ProjectReader::programText(const std::string& hash)
{
    const auto blob = m_impl->read([&] {
        auto row = m_impl->db.prepare("SELECT text FROM program WHERE hash=? ORDER BY run LIMIT 1");
        row.bind(hash);
        return row.step() ? std::optional(row.blob(0)) : std::nullopt;
    });
    if (!blob)
        return fail(blob.error());
    if (!*blob)
        return fail(fmt::format("the program {} is not in the index", hash.substr(0, 12)));
    return zlibDecompress(**blob);
}

Result<std::optional<VerdictRecord>> ProjectReader::verdict(CandidateId id)
{
    const auto blob = m_impl->read([&] {
        auto row = m_impl->db.prepare("SELECT v.record FROM sample s JOIN verdict v ON v.run=s.run AND "
                                      "v.program=s.program AND v.target_key=s.target_key WHERE s.run=? AND "
                                      "s.seq=?");
        row.bindAll(id.run, id.seq);
        return row.step() ? std::optional(row.blob(0)) : std::nullopt;
    });
    if (!blob)
        return fail(blob.error());
    if (!*blob)
        return std::optional<VerdictRecord>();
    SPARSERL_TRY(const auto text, zlibDecompress(**blob));
    SPARSERL_TRY(const auto json, parseJson(text));
    SPARSERL_TRY(auto record, verdictRecordFromJson(json));
    return std::optional(std::move(record));
}

} // namespace sparserl

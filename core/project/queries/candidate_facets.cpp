// SPDX-License-Identifier: Apache-2.0
#include "project/index/verdict_row.h"
#include "project/queries/by_program.h"
#include "project/queries/candidate_query.h"
#include "project/queries/reader_impl.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace sparserl {
namespace {

/// Counts what one column has, with a label for each: rows, or programs, each once however many of its rows
/// have the same.
class Counter
{
public:
    explicit Counter(CandidateFacet::Form form)
        : m_form(form)
    {
    }

    /// One row has this.
    void add(std::string_view text, std::string_view label) { ++m_values[numberOf(text, label)].count; }
    /// A row of a program, of which `first` is one more than the number of its first text, or 0.
    void addOnce(std::string_view text, std::string_view label, std::int64_t program, std::uint32_t& first)
    {
        const std::uint32_t value = numberOf(text, label);
        if (first == 0) {
            first = value + 1;
            ++m_values[value].count;
        } else if (first != value + 1) {
            m_others.push_back(static_cast<std::uint64_t>(program) << 32 | value);
        }
    }

    /// Most frequent first; rows without a value (no family, no flag) are not listed. `firstOf`: what
    /// addOnce() has put there for a program.
    template <typename FirstOf>
    std::vector<FacetCount> list(const FirstOf& firstOf)
    {
        for (const Value& value : m_values)
            for (const std::size_t item : value.items)
                m_items[item].count += value.count;
        addOthers(firstOf);
        std::vector<FacetCount> counts;
        for (FacetCount& item : m_items)
            if (!item.value.empty())
                counts.push_back(std::move(item));
        std::sort(counts.begin(), counts.end(), [](const FacetCount& x, const FacetCount& y) {
            return x.count != y.count ? x.count > y.count : x.value < y.value;
        });
        return counts;
    }

private:
    /// A text of the column. Flags are several items in one text.
    struct Value
    {
        std::vector<std::size_t> items;
        std::int64_t count = 0;
    };

    std::uint32_t numberOf(std::string_view text, std::string_view label)
    {
        if (m_last && *m_last->first == text) // most often as in the row before
            return m_last->second;
        const auto [place, fresh] =
            m_numbers.try_emplace(std::string(text), static_cast<std::uint32_t>(m_values.size()));
        if (fresh) {
            Value& value = m_values.emplace_back();
            if (m_form != CandidateFacet::Form::Flags)
                value.items.push_back(itemOf(place->first, label));
            else
                for (const std::string& flag : flagsOf(place->first))
                    value.items.push_back(itemOf(flag, flag));
        }
        m_last = {&place->first, place->second};
        return place->second;
    }

    std::size_t itemOf(const std::string& text, std::string_view label)
    {
        const auto [place, fresh] = m_itemNumbers.try_emplace(text, m_items.size());
        if (fresh)
            m_items.push_back({text, std::string(label), 0});
        return place->second;
    }

    /// What programs have in other rows than their first.
    template <typename FirstOf>
    void addOthers(const FirstOf& firstOf)
    {
        std::sort(m_others.begin(), m_others.end());
        m_others.erase(std::unique(m_others.begin(), m_others.end()), m_others.end());
        std::vector<std::size_t> had; // of one program, where values can share items
        std::uint64_t before = 0;
        for (const std::uint64_t other : m_others) {
            const std::uint64_t program = other >> 32;
            const std::vector<std::size_t>& items = m_values[other & 0xffffffff].items;
            if (m_form == CandidateFacet::Form::Flags && program != before) {
                had = m_values[firstOf(static_cast<std::int64_t>(program)) - 1].items;
                before = program;
            }
            for (const std::size_t item : items) {
                if (std::find(had.begin(), had.end(), item) != had.end())
                    continue;
                ++m_items[item].count;
                if (m_form == CandidateFacet::Form::Flags)
                    had.push_back(item);
            }
        }
    }

    CandidateFacet::Form m_form;
    std::unordered_map<std::string, std::uint32_t> m_numbers; ///< Of the values, by their texts.
    std::vector<Value> m_values;
    std::unordered_map<std::string, std::size_t> m_itemNumbers;
    std::vector<FacetCount> m_items;
    std::optional<std::pair<const std::string*, std::uint32_t>> m_last;
    std::vector<std::uint64_t> m_others; ///< Numbers of a program and of another of its values.
};

std::string_view rangeOf(double speedup)
{
    for (const SpeedupRange& range : speedupRanges)
        if (speedup > 0 && speedup >= range.from && speedup < range.to)
            return range.name;
    return {};
}

/// What a row has of a facet, in the column of its number.
std::string_view valueOf(const sql::Statement& rows, const CandidateFacet& facet, int column)
{
    return facet.form == CandidateFacet::Form::Range ? rangeOf(rows.real(column)) : rows.textView(column);
}

/// The columns of all facets, then the labels of those that have one apart, then the number of the program.
struct FacetColumns
{
    std::string sql;
    std::vector<int> labels; ///< The column of each facet's label.
    int program = 0;

    FacetColumns()
    {
        for (const CandidateFacet& facet : candidateFacets)
            sql += std::string(facet.column) + ", ";
        program = static_cast<int>(candidateFacets.size());
        for (std::size_t i = 0; i < candidateFacets.size(); ++i) {
            const char* label = candidateFacets[i].label;
            labels.push_back(label ? program++ : static_cast<int>(i));
            if (label)
                sql += std::string(label) + ", ";
        }
        sql += "s.program_number";
    }
};

} // namespace

Result<CandidateFacets> ProjectReader::facets(const CandidateFilter& filter, const CancelToken& cancel)
{
    return m_impl->read([&] {
        const sql::Interruptible until(m_impl->db, cancel);
        const bool once = filter.distinctPrograms && filter.programHash.empty();
        CandidateFacets out;
        const FacetColumns columns;
        // One pass over the samples, counting here, for all facets that share a filter; another for each
        // facet that is restricted itself.
        const auto pass = [&](const CandidateFacet* without, const std::vector<std::size_t>& facets) {
            const CandidateQuery query = CandidateQuery::of(filter, without);
            std::vector<Counter> counters;
            counters.reserve(facets.size());
            for (const std::size_t facet : facets)
                counters.emplace_back(candidateFacets[facet].form);
            // What each program has first, of all facets beside each other: one look for each row.
            std::optional<ByProgram<std::array<std::uint32_t, candidateFacets.size()>>> firsts;
            std::optional<ByProgram<char>> seen;
            if (once) {
                firsts.emplace(m_impl->db);
                seen.emplace(m_impl->db);
            }
            auto rows = m_impl->db.prepare("SELECT " + columns.sql + " FROM sample s WHERE " + query.where);
            query.bindTo(rows);
            std::int64_t total = 0;
            while (rows.step()) {
                const std::int64_t program = rows.integer(columns.program);
                if (!seen || std::exchange((*seen)[program], 1) == 0)
                    ++total;
                auto* first = firsts ? &(*firsts)[program] : nullptr;
                for (std::size_t i = 0; i < facets.size(); ++i) {
                    const CandidateFacet& facet = candidateFacets[facets[i]];
                    const auto value = valueOf(rows, facet, static_cast<int>(facets[i]));
                    const auto label = facet.label ? rows.textView(columns.labels[facets[i]]) : value;
                    if (first)
                        counters[i].addOnce(value, label, program, (*first)[i]);
                    else
                        counters[i].add(value, label);
                }
            }
            for (std::size_t i = 0; i < facets.size(); ++i)
                out.*candidateFacets[facets[i]].counts =
                    counters[i].list([&](std::int64_t program) { return (*firsts)[program][i]; });
            return total;
        };
        std::vector<std::size_t> shared;
        for (std::size_t facet = 0; facet < candidateFacets.size(); ++facet) {
            if (candidateFacets[facet].isRestrictedBy(filter))
                pass(&candidateFacets[facet], {facet});
            else
                shared.push_back(facet);
        }
        out.total = pass(nullptr, shared);
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
        for (FacetCount& run : out.runs) {
            run.name = m_impl->runName(std::stoll(run.value));
            run.label = m_impl->runLabel(std::stoll(run.value));
        }
        return out;
    });
}

} // namespace sparserl

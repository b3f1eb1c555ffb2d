// SPDX-License-Identifier: Apache-2.0
#include "project/candidate_query.h"
#include "project/program_numbers.h"
#include "project/reader_impl.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace sparserl {
namespace {

/// What a sort compares: the number, or the place of the text among all texts.
struct Key
{
    double number = 0;
    CandidateId id;
};

struct SortColumn
{
    const char* expression;
    bool text = false;
    bool zeroIsNone = false;
};

SortColumn columnOf(CandidateSort sort)
{
    switch (sort) {
    case CandidateSort::Time:
        return {"s.t"};
    case CandidateSort::Speedup:
        return {"s.speedup", false, true};
    case CandidateSort::Microseconds:
        return {"s.micros", false, true};
    case CandidateSort::Step:
        return {"s.step"};
    case CandidateSort::Reward:
        return {"s.reward"};
    case CandidateSort::Tokens:
        return {"s.tokens"};
    case CandidateSort::Matrix:
        return {"s.target_name", true};
    case CandidateSort::Verdict:
        return {"ifnull(s.verdict,'')", true};
    case CandidateSort::Family:
        return {"s.family", true};
    case CandidateSort::Run:
        return {"s.run"}; // whose names are looked up once a run, afterwards
    }
    return {"s.t"};
}

/// Texts as numbers in the order of the texts: a million rows have few different ones.
class Texts
{
public:
    double add(std::string text)
    {
        const auto [place, fresh] = m_numbers.try_emplace(std::move(text), m_numbers.size());
        if (fresh)
            m_texts.push_back(&place->first);
        return static_cast<double>(place->second);
    }
    /// The place of each number that add() gave.
    std::vector<double> places() const
    {
        std::vector<std::pair<std::string, std::size_t>> sorted;
        for (std::size_t i = 0; i < m_texts.size(); ++i)
            sorted.emplace_back(*m_texts[i], i);
        std::sort(sorted.begin(), sorted.end());
        std::vector<double> places(sorted.size());
        for (std::size_t i = 0; i < sorted.size(); ++i)
            places[sorted[i].second] = static_cast<double>(i);
        return places;
    }

private:
    std::unordered_map<std::string, std::size_t> m_numbers;
    std::vector<const std::string*> m_texts;
};

/// Of the keys of each program the one that comes before the others. `programs`: a number of each key's
/// program, below `count`.
template <typename Before>
void keepFirstOfEach(std::vector<Key>& keys, const std::vector<std::uint32_t>& programs, std::size_t count,
                     const Before& before)
{
    constexpr auto none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> first(count, none);
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (std::size_t& best = first[programs[i]]; best == none || before(keys[i], keys[best]))
            best = i;
    std::vector<Key> kept;
    kept.reserve(count);
    for (const std::size_t i : first)
        kept.push_back(keys[i]);
    keys = std::move(kept);
}

/// Numbers become the places of the runs by name.
template <typename Name>
void putRunsInOrder(std::vector<Key>& keys, const Name& nameOf)
{
    std::unordered_map<RunId, double> places;
    for (const Key& key : keys)
        places.try_emplace(key.id.run, 0);
    std::vector<std::pair<std::string, RunId>> sorted;
    sorted.reserve(places.size());
    for (const auto& [run, place] : places)
        sorted.emplace_back(nameOf(run), run);
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i)
        places[sorted[i].second] = static_cast<double>(i);
    for (Key& key : keys)
        key.number = places[key.id.run];
}

} // namespace

Result<std::vector<CandidateId>> ProjectReader::candidateOrder(const CandidateFilter& filter,
                                                               CandidateSort sort, bool descending,
                                                               const CancelToken& cancel,
                                                               const Progress& progress)
{
    return m_impl->read([&] {
        const sql::Interruptible until(m_impl->db, cancel);
        const SortColumn column = columnOf(sort);
        const CandidateQuery query = CandidateQuery::of(filter);
        // Sorted here: SQLite would carry every column through its sorter, ten times as slowly. How many rows
        // there are at most is known from the runs, without reading one.
        const auto most = m_impl->db.integer("SELECT ifnull(sum(samples),0) FROM run");
        constexpr std::size_t chunk = 1 << 14;
        std::vector<Key> keys;
        Texts texts;
        const bool once = filter.distinctPrograms && filter.programHash.empty();
        ProgramNumbers numbers;
        std::vector<std::uint32_t> programs; // of each key, where each program counts once
        auto rows =
            m_impl->db.prepare(fmt::format("SELECT {}, s.run, s.seq{} FROM sample s WHERE {}",
                                           column.expression, once ? ", s.program" : "", query.where));
        query.bindTo(rows);
        const double none =
            descending ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
        while (rows.step()) {
            double number = column.text ? texts.add(rows.text(0)) : rows.real(0);
            if (std::isnan(number) || (column.zeroIsNone && number <= 0))
                number = none;
            keys.push_back({number, {rows.integer(1), rows.integer(2)}});
            if (once)
                programs.push_back(numbers.of(rows.textView(3)));
            if (progress && most > 0 && keys.size() % chunk == 0)
                progress(std::min(1.0, static_cast<double>(keys.size()) / static_cast<double>(most)),
                         "reading");
        }
        if (column.text) {
            const auto places = texts.places();
            for (Key& key : keys)
                key.number = places[static_cast<std::size_t>(key.number)];
        } else if (sort == CandidateSort::Run) {
            putRunsInOrder(keys, [&](RunId run) { return m_impl->runName(run); });
        }
        const auto less = [](const Key& x, const Key& y) {
            return std::tie(x.number, x.id.run, x.id.seq) < std::tie(y.number, y.id.run, y.id.seq);
        };
        const auto before = [&](const Key& x, const Key& y) { return descending ? less(y, x) : less(x, y); };
        if (numbers.size() < programs.size())
            keepFirstOfEach(keys, programs, numbers.size(), before);
        if (descending)
            std::sort(keys.begin(), keys.end(), [&](const Key& x, const Key& y) { return less(y, x); });
        else
            std::sort(keys.begin(), keys.end(), less);
        std::vector<CandidateId> ids;
        ids.reserve(keys.size());
        for (const Key& key : keys)
            ids.push_back(key.id);
        return ids;
    });
}

} // namespace sparserl

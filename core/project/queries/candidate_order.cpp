// SPDX-License-Identifier: Apache-2.0
#include "project/queries/by_program.h"
#include "project/queries/candidate_query.h"
#include "project/queries/reader_impl.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
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

/// Texts as numbers: a million rows have few different ones.
class Texts
{
public:
    double add(std::string_view text)
    {
        if (m_texts.empty() || *m_texts[m_last] != text) { // most often it is that of the row before
            const auto place = m_numbers.try_emplace(std::string(text), m_texts.size()).first;
            m_last = place->second;
            if (m_last == m_texts.size())
                m_texts.push_back(&place->first);
        }
        return static_cast<double>(m_last);
    }
    const std::string& text(double number) const { return *m_texts[static_cast<std::size_t>(number)]; }
    /// The place of each number that add() gave among the sorted texts.
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
    std::size_t m_last = 0;
};

/// The place of each run by its name; of one that has no name there is none.
std::unordered_map<RunId, double> placesOfRuns(const sql::Database& db)
{
    std::unordered_map<RunId, double> places;
    auto rows = db.prepare("SELECT id FROM run ORDER BY name");
    while (rows.step())
        places.emplace(rows.integer(0), static_cast<double>(places.size()));
    return places;
}

bool comesFirst(const Key& x, const Key& y)
{
    return std::tie(x.number, x.id.run, x.id.seq) < std::tie(y.number, y.id.run, y.id.seq);
}

/// Keys of rows as they are read; of the rows of one program, where that is asked for, only the one that
/// comes before the others.
class Keys
{
public:
    Keys(bool descending, const Texts* texts)
        : m_descending(descending)
        , m_texts(texts)
    {
    }
    void add(const Key& key) { m_keys.push_back(key); }
    /// `place`: of the program's key, counted from 1.
    void addOnce(const Key& key, std::uint32_t& place)
    {
        if (place == 0) {
            m_keys.push_back(key);
            place = static_cast<std::uint32_t>(m_keys.size());
        } else if (Key& best = m_keys[place - 1]; before(key, best)) {
            best = key;
        }
    }

    std::vector<CandidateId> sorted()
    {
        if (m_texts) {
            const auto places = m_texts->places();
            for (Key& key : m_keys)
                key.number = places[static_cast<std::size_t>(key.number)];
        }
        if (m_descending)
            std::sort(m_keys.begin(), m_keys.end(),
                      [](const Key& x, const Key& y) { return comesFirst(y, x); });
        else
            std::sort(m_keys.begin(), m_keys.end(),
                      [](const Key& x, const Key& y) { return comesFirst(x, y); });
        std::vector<CandidateId> ids;
        ids.reserve(m_keys.size());
        for (const Key& key : m_keys)
            ids.push_back(key.id);
        return ids;
    }

private:
    bool before(const Key& x, const Key& y) const
    {
        if (m_texts && x.number != y.number)
            return (m_texts->text(x.number) < m_texts->text(y.number)) != m_descending;
        return m_descending ? comesFirst(y, x) : comesFirst(x, y);
    }

    std::vector<Key> m_keys;
    bool m_descending;
    const Texts* m_texts; ///< What the numbers of the keys stand for, if texts are sorted.
};

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
        Texts texts;
        Keys keys(descending, column.text ? &texts : nullptr);
        const bool once = filter.distinctPrograms && filter.programHash.empty();
        std::optional<ByProgram<std::uint32_t>> places; // of the keys
        if (once)
            places.emplace(m_impl->db);
        const auto runs =
            sort == CandidateSort::Run ? placesOfRuns(m_impl->db) : std::unordered_map<RunId, double>();
        auto rows =
            m_impl->db.prepare(fmt::format("SELECT {}, s.run, s.seq{} FROM sample s WHERE {}",
                                           column.expression, once ? ", s.program_number" : "", query.where));
        query.bindTo(rows);
        const double none =
            descending ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
        std::int64_t read = 0;
        while (rows.step()) {
            Key key{0, {rows.integer(1), rows.integer(2)}};
            if (sort == CandidateSort::Run) {
                const auto place = runs.find(key.id.run);
                key.number = place == runs.end() ? -1 : place->second;
            } else {
                key.number = column.text ? texts.add(rows.textView(0)) : rows.real(0);
            }
            if (std::isnan(key.number) || (column.zeroIsNone && key.number <= 0))
                key.number = none;
            if (places)
                keys.addOnce(key, (*places)[rows.integer(3)]);
            else
                keys.add(key);
            if (progress && most > 0 && ++read % chunk == 0)
                progress(std::min(1.0, static_cast<double>(read) / static_cast<double>(most)), "reading");
        }
        return keys.sorted();
    });
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "project/queries/relatives.h"

#include "base/interruption.h"
#include "base/similarity.h"
#include "source/words.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace sparserl {

namespace {

constexpr std::size_t mostCompared = 2000; // a text each is unpacked and read
constexpr std::size_t mostRelatives = 40;
constexpr double leastSimilarity = 0.25;

/// The place of a program of so many tokens in a list that is ordered by them.
Result<std::size_t> placeOf(ProjectReader& reader, const std::vector<CandidateId>& order, std::int64_t tokens)
{
    std::size_t begin = 0, end = order.size();
    while (begin < end) {
        const std::size_t middle = begin + (end - begin) / 2;
        SPARSERL_TRY(const auto rows, reader.candidateRows({order[middle]}));
        if (!rows.empty() && rows.front().tokens < tokens)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/// Rather this row of a program than that one: on the target that was asked for, then the faster.
bool isBetter(const CandidateRow& row, const CandidateRow& than, const TargetId& target)
{
    const bool own = row.target == target, others = than.target == target;
    return own != others ? own : row.speedup > than.speedup;
}

} // namespace

std::vector<std::uint32_t> tokenShape(std::string_view text)
{
    constexpr std::size_t width = 4;
    std::array<std::uint32_t, width> last{};
    std::vector<std::uint32_t> shape;
    std::size_t count = 0;
    SourceWords words(text);
    while (const auto word = words.next()) {
        last[count++ % width] = static_cast<std::uint32_t>(wordHash(word->text));
        if (count < width)
            continue;
        std::uint32_t joined = 2166136261u; // FNV-1a
        for (std::size_t i = 0; i < width; ++i)
            joined = (joined ^ last[(count + i) % width]) * 16777619u;
        shape.push_back(joined);
    }
    std::sort(shape.begin(), shape.end());
    shape.erase(std::unique(shape.begin(), shape.end()), shape.end());
    return shape;
}

Result<Relatives> relativesOf(ProjectReader& reader, const CandidateRow& of, const CancelToken& cancel,
                              const Progress& progress)
{
    constexpr double share = 0.5; // of the work: finding those that may be compared
    CandidateFilter filter;
    filter.firstSamples = true;
    if (of.family.empty())
        filter.matrices = {of.target.contents};
    else
        filter.families = {of.family};
    SPARSERL_TRY(const auto order, reader.candidateOrder(filter, CandidateSort::Tokens, false, cancel,
                                                         [&](double part, std::string_view what) {
                                                             if (progress)
                                                                 progress(share * part, what);
                                                         }));
    SPARSERL_TRY(const auto place, placeOf(reader, order, of.tokens));
    const std::size_t count = std::min(order.size(), mostCompared);
    const std::size_t first = std::min(place > count / 2 ? place - count / 2 : 0, order.size() - count);
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
    SPARSERL_TRY(const auto rows, reader.candidateRows({begin, begin + static_cast<std::ptrdiff_t>(count)}));

    Relatives found;
    found.candidates = static_cast<std::int64_t>(order.size());
    found.lookedAt = static_cast<std::int64_t>(rows.size());
    SPARSERL_TRY(const auto text, reader.programText(of.programHash));
    const auto shape = tokenShape(text);
    std::map<std::string, Relative> byProgram{{of.programHash, {of, 1}}};
    std::set<std::string> tooFar;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (cancel.cancelled())
            return fail(interruption());
        constexpr std::size_t rarely = 64;
        if (progress && i % rarely == 0)
            progress(share + (1 - share) * static_cast<double>(i) / static_cast<double>(rows.size()),
                     "comparing");
        const CandidateRow& row = rows[i];
        if (row.programHash == of.programHash || tooFar.contains(row.programHash))
            continue;
        if (const auto known = byProgram.find(row.programHash); known != byProgram.end()) {
            if (isBetter(row, known->second.row, of.target))
                known->second.row = row;
            continue;
        }
        SPARSERL_TRY(const auto other, reader.programText(row.programHash));
        const double alike = similarity(shape, tokenShape(other));
        if (alike >= leastSimilarity)
            byProgram.emplace(row.programHash, Relative{row, alike});
        else
            tooFar.insert(row.programHash);
    }
    for (auto& [hash, relative] : byProgram)
        found.chain.push_back(std::move(relative));
    // The program itself first, also before a copy of its tokens.
    std::sort(found.chain.begin(), found.chain.end(), [&](const Relative& x, const Relative& y) {
        const auto place = [&](const Relative& r) {
            return std::tuple(r.row.programHash != of.programHash, -r.similarity, r.row.t, r.row.id.run,
                              r.row.id.seq);
        };
        return place(x) < place(y);
    });
    found.chain.resize(std::min(found.chain.size(), mostRelatives));
    return found;
}

} // namespace sparserl

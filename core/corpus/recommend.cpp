// SPDX-License-Identifier: Apache-2.0
#include "corpus/corpus.h"
#include "corpus/recommend_spmm.h"
#include "matrix/features.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparserl {

namespace {

/// Falls from 1 at `best` and below to 0 at `worst` and above.
double falling(double value, double best, double worst)
{
    return std::clamp((worst - value) / (worst - best), 0.0, 1.0);
}

double rising(double value, double worst, double best)
{
    return 1 - falling(value, worst, best);
}

/// The least power of two in [2, most] that is not below `length`.
std::int64_t lanesFor(double length, std::int64_t most)
{
    std::int64_t lanes = 2;
    while (lanes < most && static_cast<double>(lanes) < length)
        lanes *= 2;
    return lanes;
}

/// 1 where a thread per row leaves a large GPU (132 SMs of 2048 threads) mostly idle, 0 where it fills it. An
/// idle device waits for chains of loads: then more lanes per row win, whatever else holds.
double idle(const MatrixFeatures& f)
{
    return falling(static_cast<double>(f.rows) / (132.0 * 2048.0), 0.1, 1);
}

class Ranking
{
public:
    void add(const char* family, FamilyParameters parameters, double score, std::string reason)
    {
        m_candidates.push_back(
            {family, std::move(parameters), std::clamp(score, 0.01, 1.0), std::move(reason)});
    }
    std::vector<Candidate> sorted()
    {
        std::stable_sort(m_candidates.begin(), m_candidates.end(),
                         [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
        return std::move(m_candidates);
    }

private:
    std::vector<Candidate> m_candidates;
};

void addCsr(Ranking& ranking, const MatrixFeatures& f)
{
    const double mean = f.rowMean;
    const double waiting = idle(f);
    const std::string lengths =
        fmt::format("mean row length {:.1f}, coefficient of variation {:.2f}", mean, f.rowCv);
    const double even = 0.3 + 0.7 * falling(f.rowCv, 0.3, 2);
    const std::int64_t block = waiting > 0.5 ? 512 : 128;

    ranking.add("S1", {{"block", block}, {"unroll", mean > 6 ? 4 : 1}},
                0.8 * falling(mean, 4, 16) * even * (1 - 0.4 * waiting), lengths);
    // On a full device lanes follow the mean length; on an idle one nearly every row should take one step.
    const double length = waiting * std::max(mean, static_cast<double>(f.rowQ99)) + (1 - waiting) * mean;
    const std::int64_t lanes = lanesFor(length, 16);
    const double medium =
        std::max(std::min(rising(mean, 1, 4), falling(mean, 24, 64)), waiting * falling(mean, 14, 48));
    ranking.add("S2", {{"block", block}, {"lanes", lanes}, {"accumulators", 1}},
                (0.82 + 0.16 * waiting) * medium * (0.5 + 0.5 * std::max(even, waiting)), lengths);
    if (lanes > 2)
        ranking.add("S2", {{"block", block}, {"lanes", lanes / 2}, {"accumulators", 1}},
                    0.74 * medium * (0.5 + 0.5 * even), lengths);
    const double longRows = std::max(rising(mean, 8, 40), waiting * (0.6 + 0.4 * rising(length, 12, 28)));
    ranking.add("S3",
                {{"block", block},
                 {"accumulators", mean >= 256  ? 4
                                  : mean >= 96 ? 2
                                               : 1}},
                (0.8 + 0.18 * waiting) * longRows * (0.6 + 0.4 * std::max(even, waiting)) +
                    0.1 * rising(f.rowCv, 1, 3) * (1 - waiting),
                lengths);
    const double fewRows = f.rows > 0 ? falling(static_cast<double>(f.rows), 256, 4096) : 0;
    const std::int64_t rowBlock = mean >= 2048 ? 512 : mean >= 768 ? 256 : 128;
    ranking.add("S4",
                {{"block", rowBlock},
                 {"accumulators", mean >= 4.0 * static_cast<double>(rowBlock) ? 2 : 1},
                 {"tree", 0}},
                std::max({0.85 * rising(mean, 200, 900), fewRows * rising(mean, 64, 400),
                          // A warp alone with a long row is what an idle device waits for.
                          waiting * rising(static_cast<double>(f.rowMax), 60, 130)}),
                fmt::format("{} rows of mean length {:.0f}", f.rows, mean));
}

void addPadded(Ranking& ranking, const MatrixFeatures& f)
{
    const double csrBytes = 4.0 * (static_cast<double>(f.rows) + 1) + 8.0 * static_cast<double>(f.nnz);
    const double limit = 8 * csrBytes + 64.0 * 1024 * 1024;
    const double ellBytes = 8.0 * static_cast<double>(f.rows) * static_cast<double>(f.rowMax);
    const double waiting = idle(f);
    const bool wide = f.rowMean > 24; // Long rows leave too few threads when a thread takes a whole row.
    const std::int64_t block = waiting > 0.5 ? 512 : 128;
    if (ellBytes <= limit) {
        const std::string reason =
            fmt::format("longest row {} entries, {:.2f} times the mean", f.rowMax, f.ellRatio);
        // An idle device has room for padding: there it is the longest row that counts.
        const double score = std::max(0.92 * falling(f.ellRatio, 1.15, 3.5),
                                      waiting * 0.8 * falling(static_cast<double>(f.rowMax), 8, 40));
        ranking.add("S10", {{"block", block}, {"lanes", 1}, {"unroll", 4}},
                    score * (wide ? 0.7 : 1) *
                        (1 - 0.3 * waiting * rising(static_cast<double>(f.rowMax), 3, 8)),
                    reason);
        ranking.add("S10", {{"block", block}, {"lanes", wide || waiting > 0.5 ? 4 : 2}, {"unroll", 1}},
                    score * std::max(wide ? 0.9 : 0.85, 0.95 * waiting), reason);
    }
    const std::string reason =
        fmt::format("longest row over mean {:.2f}, coefficient of variation {:.2f}", f.ellRatio, f.rowCv);
    const double uneven = (0.55 + 0.33 * rising(f.ellRatio, 1.0, 1.8)) * (1 - 0.5 * waiting);
    const double tail = 0.25 + 0.75 * falling(f.ellRatio, 12, 200);
    const std::int64_t sigma = f.rowCv > 1 ? 4096 : f.rowCv > 0.3 ? 1024 : 256;
    ranking.add("S11",
                {{"block", block}, {"slice", 32}, {"sigma", sigma}, {"unroll", 0}, {"accumulators", 1}},
                uneven * tail * (wide ? 0.75 : 1), reason);
    ranking.add("S11", {{"block", block}, {"slice", 8}, {"sigma", sigma}, {"unroll", 2}, {"accumulators", 1}},
                0.85 * uneven * tail * (wide ? 0.75 : 1), reason);

    const double diaBytes = 4.0 * static_cast<double>(f.diagonals) * static_cast<double>(f.rows);
    const auto diagonals = static_cast<double>(f.diagonals);
    if (f.diagonals >= 1 && f.diagonals <= 512 && diaBytes <= limit)
        ranking.add("S13", {{"block", block}, {"unroll", f.diagonals >= 8 ? 4 : 2}},
                    rising(f.diagonalFill, 0.15, 0.6) * falling(diagonals, 64, 512) *
                        (1 - 0.6 * waiting * rising(diagonals, 5, 16)),
                    fmt::format("{} diagonals, {:.0f} % filled", f.diagonals, 100 * f.diagonalFill));
}

} // namespace

std::vector<Candidate> recommend(Task task, const MatrixFeatures& features, std::int64_t denseColumns)
{
    if (task == Task::SpMM)
        return recommendSpmm(features, denseColumns > 0 ? denseColumns : features.denseColumns);
    Ranking ranking;
    addCsr(ranking, features);
    addPadded(ranking, features);
    return ranking.sorted();
}

ReferenceProgram referenceProgram(Task task)
{
    if (task == Task::SpMM) {
        const auto program = derive("M1", {{"block", 128}, {"merge", 1}, {"unroll", 1}}, Style{});
        return {"reference CSR row-split (thread per element of C)", program ? program->text : std::string()};
    }
    const auto program = derive("S3", {{"block", 128}, {"accumulators", 1}}, Style{});
    return {"reference CSR-vector (warp per row)", program ? program->text : std::string()};
}

} // namespace sparserl

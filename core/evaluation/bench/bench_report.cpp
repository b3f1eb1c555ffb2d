// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/geometric_mean.h"
#include "base/printable.h"
#include "base/quantile.h"
#include "corpus/corpus.h"
#include "evaluation/bench/bench.h"
#include "target/family_names.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace sparserl {

namespace {

constexpr double belowBaseline = 0.9;
constexpr std::size_t worstShown = 8, worstMost = 40;
constexpr std::int64_t smallNnz = 50'000; ///< Below it launches and latencies decide, not formats.

struct Mean
{
    GeometricMean mean;
    int below = 0, slower = 0;
    void add(double ratio)
    {
        if (!(ratio > 0))
            return;
        mean.add(ratio);
        below += ratio < belowBaseline;
        slower += ratio < 1;
    }
    double value() const { return mean.value(); }
    std::int64_t count() const { return mean.count(); }
    std::string text() const
    {
        return fmt::format("{:6.3f}x over {:4} {}, {} below 1.0x, {} below {:.1f}x", value(), count(),
                           count() == 1 ? "matrix" : "matrices", slower, below, belowBaseline);
    }
};

struct Bin
{
    const char* name;
    std::int64_t low, high;
};
constexpr std::int64_t noLimit = std::numeric_limits<std::int64_t>::max();
constexpr std::array<Bin, 5> bins{{{"below 10,000", 0, 10'000},
                                   {"10,000 to 50,000", 10'000, smallNnz},
                                   {"50,000 to 200,000", smallNnz, 200'000},
                                   {"200,000 to 1,000,000", 200'000, 1'000'000},
                                   {"1,000,000 or more", 1'000'000, noLimit}}};

/// What a format costs before the first call, and after how many calls it has paid for itself.
struct FamilyCost
{
    int best = 0;
    Mean speedup;
    std::vector<double> conversion, prepare, breakEven;
};

std::string familyTable(const std::vector<BenchMatrix>& matrices)
{
    std::map<std::string, FamilyCost> families;
    for (const BenchMatrix& matrix : matrices) {
        const BenchRow* baseline = matrix.bestBaseline();
        for (const BenchRow& row : matrix.table) {
            if (row.baseline || !row.bestOfFamily || !baseline)
                continue;
            FamilyCost& cost = families[row.family];
            cost.best += row.best;
            cost.speedup.add(baseline->warm.median / row.warm.median);
            cost.conversion.push_back(row.conversionMicroseconds / 1e3);
            cost.prepare.push_back(row.setupMicroseconds);
            if (const double calls = breakEvenCalls(row, baseline); calls > 0)
                cost.breakEven.push_back(calls);
        }
    }
    std::vector<std::pair<std::string, FamilyCost>> order(families.begin(), families.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second.best > b.second.best; });
    std::string text = "  family   best on  timed in full on  its mean  conversion    prepare  break-even\n";
    for (const auto& [name, cost] : order) {
        const Family* family = findFamily(name);
        text += fmt::format("  {:<8} {:>7} {:>17} {:>9.3f}x {:>8.2f} ms {:>7.1f} us {:>11}  {}\n", name,
                            cost.best, cost.speedup.count(), cost.speedup.value(), median(cost.conversion),
                            median(cost.prepare),
                            cost.breakEven.empty() ? std::string("never")
                                                   : fmt::format("{:.0f} calls", median(cost.breakEven)),
                            family != nullptr ? family->name : std::string());
    }
    return text;
}

const BenchRow* paperBaseline(const BenchMatrix& matrix)
{
    for (const BenchRow& row : matrix.table) {
        if (row.baseline && row.variant.starts_with("DEFAULT"))
            return &row;
    }
    return nullptr;
}

/// The fastest routine of any format, where formats other than CSR were timed.
const BenchRow* bestOfAllFormats(const BenchMatrix& matrix)
{
    const BenchRow* best = nullptr;
    bool others = false;
    for (const BenchRow& row : matrix.table) {
        if (!row.baseline || !(row.warm.median > 0))
            continue;
        others = others || (!row.csr && !row.variant.starts_with("DEFAULT"));
        if (!best || row.warm.median < best->warm.median)
            best = &row;
    }
    return others ? best : nullptr;
}

/// The program that is best on average if one has to do for every matrix: over those that it applies to on
/// every matrix. The mean is of the best CSR baseline over it.
std::pair<std::string, Mean> bestSingle(const std::vector<BenchMatrix>& matrices)
{
    std::map<std::string, std::pair<Mean, const BenchRow*>> by;
    int counted = 0;
    for (const BenchMatrix& matrix : matrices) {
        const BenchRow* baseline = matrix.bestBaseline();
        if (!baseline || !matrix.bestProgram())
            continue;
        ++counted;
        for (const BenchRow& row : matrix.table) {
            if (!row.baseline && row.problem.empty() && row.warm.median > 0) {
                auto& [mean, example] = by[row.text];
                mean.add(baseline->warm.median / row.warm.median);
                example = &row;
            }
        }
    }
    std::pair<std::string, Mean> best;
    for (const auto& [text, entry] : by) {
        if (entry.first.count() == counted && entry.first.value() > best.second.value())
            best = {familyTitle(entry.second->family) + " " + entry.second->variant, entry.first};
    }
    return best;
}

} // namespace

std::string benchSummary(const std::vector<BenchMatrix>& matrices, const BenchOptions&)
{
    Mean all, large, paper, everyFormat, limit;
    std::array<Mean, bins.size()> bySize;
    std::map<std::string, Mean> classes;
    std::vector<std::pair<double, const BenchMatrix*>> order;
    int problems = 0, clocks = 0;
    double seconds = 0;
    for (const BenchMatrix& matrix : matrices) {
        seconds += matrix.seconds;
        for (const BenchRow& row : matrix.table) {
            problems += !row.problem.empty();
            clocks += !row.clocksAgree;
        }
        const double ratio = matrix.speedup();
        const BenchRow* program = matrix.bestProgram();
        if (!(ratio > 0) || !program)
            continue;
        all.add(ratio);
        if (matrix.sizes.nnz >= smallNnz)
            large.add(ratio);
        for (std::size_t b = 0; b < bins.size(); ++b) {
            if (matrix.sizes.nnz >= bins[b].low && matrix.sizes.nnz < bins[b].high)
                bySize[b].add(ratio);
        }
        classes[matrix.structure.empty() ? "other" : matrix.structure].add(ratio);
        order.emplace_back(ratio, &matrix);
        if (const BenchRow* other = paperBaseline(matrix))
            paper.add(other->warm.median / program->warm.median);
        if (const BenchRow* other = bestOfAllFormats(matrix))
            everyFormat.add(other->warm.median / program->warm.median);
        limit.add(program->floorMicroseconds / program->warm.median);
    }
    if (order.empty())
        return "No matrix has both a correct program and a baseline.\n";
    std::string text =
        fmt::format("best program over best CSR baseline, warm, in turn: geometric mean {}\n", all.text());
    if (large.count() && large.count() < all.count())
        text += fmt::format("  {:<31} {}\n", "50,000 or more non-zeros", large.text());
    for (std::size_t b = 0; b < bins.size(); ++b) {
        if (bySize[b].count())
            text += fmt::format("  non-zeros {:<21} {}\n", bins[b].name, bySize[b].text());
    }
    for (const auto& [name, mean] : classes)
        text += formatLine("  class {:<25} {}\n", name, mean.text());
    if (paper.count())
        text += fmt::format("  over DEFAULT without preprocessing: {:.3f}x over {}\n", paper.value(),
                            formatCounted(paper.count(), "matrix", "matrices"));
    if (everyFormat.count())
        text += fmt::format("  over the best of all formats and cuBLAS: {}\n", everyFormat.text());
    text += fmt::format("  share of the physical limit (geometric mean): {:.2f}\n", limit.value());
    if (const auto [single, mean] = bestSingle(matrices); mean.count())
        text += fmt::format("  best single program for all: {}: {}\n", single, mean.text());
    text += familyTable(matrices);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    // Everything slower than the baseline is named, and at least a few.
    const auto slower = static_cast<std::size_t>(
        std::count_if(order.begin(), order.end(), [](const auto& entry) { return entry.first < 1; }));
    text += fmt::format("  {} below 1.0x; the worst:\n", slower);
    for (std::size_t i = 0; i < std::min(std::clamp(slower, worstShown, worstMost), order.size()); ++i) {
        const BenchMatrix& m = *order[i].second;
        const BenchRow *program = m.bestProgram(), *baseline = m.bestBaseline();
        text += formatLine("    {:.3f}x {} ({}, {} x {}, {} non-zeros): {} {} {:.2f} us, {} {:.2f} us\n",
                           order[i].first, m.name, m.structure, m.sizes.rows, m.sizes.cols, m.sizes.nnz,
                           familyTitle(program->family), program->variant, program->warm.median,
                           baseline ? baseline->variant : "", baseline ? baseline->warm.median : 0);
    }
    if (problems)
        text += fmt::format("  {} a problem (last column of the table)\n",
                            formatCounted(static_cast<std::int64_t>(problems), "row has", "rows have"));
    if (clocks)
        text += fmt::format("  {} on which events and the host's clock disagree\n",
                            formatCounted(static_cast<std::int64_t>(clocks), "time"));
    text += fmt::format("  {} on the device's thread\n", formatDuration(seconds));
    return text;
}

} // namespace sparserl

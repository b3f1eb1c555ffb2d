// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "evaluation/bench.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace sparserl {

namespace {

constexpr double belowBaseline = 0.9;
constexpr std::size_t worstShown = 10;

std::string quoted(const std::string& value)
{
    std::string result = "\"";
    for (const char c : value) {
        result += c;
        if (c == '"')
            result += c;
    }
    return result + '"';
}

std::string number(double value)
{
    return value > 0 ? fmt::format("{:.4f}", value) : std::string();
}

struct Mean
{
    double logs = 0;
    int n = 0;
    int below = 0;
    void add(double ratio)
    {
        if (!(ratio > 0))
            return;
        logs += std::log(ratio);
        ++n;
        below += ratio < belowBaseline;
    }
    double value() const { return n ? std::exp(logs / n) : 0; }
    std::string text() const
    {
        return fmt::format("{:6.3f}x over {:4} matrices, {} below {:.1f}x", value(), n, below, belowBaseline);
    }
};

std::string binOf(std::int64_t nnz)
{
    constexpr std::array<std::int64_t, 4> edges{10'000, 100'000, 1'000'000, 10'000'000};
    constexpr std::array<const char*, 5> names{"a: below 10^4", "b: 10^4 to 10^5", "c: 10^5 to 10^6",
                                               "d: 10^6 to 10^7", "e: from 10^7"};
    std::size_t bin = 0;
    while (bin < edges.size() && nnz >= edges[bin])
        ++bin;
    return names[bin];
}

const BenchRow* paperBaseline(const BenchMatrix& matrix)
{
    for (const BenchRow& row : matrix.table) {
        if (row.baseline && row.variant.starts_with("DEFAULT"))
            return &row;
    }
    return nullptr;
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
        if (entry.first.n == counted && entry.first.value() > best.second.value())
            best = {entry.second->family + " " + entry.second->variant, entry.first};
    }
    return best;
}

} // namespace

std::string benchCsvHeader()
{
    return "matrix,class,rows,cols,nnz,dense_columns,device,kind,family,variant,best,best_of_family,csr_"
           "baseline,dropped,"
           "warm_us,warm_q25,warm_q75,n,cold_us,cold_q25,cold_q75,gflops,gbps,floor_us,share_of_limit,setup_"
           "us,"
           "conversion_us,setup_bytes,break_even_calls,speedup,in_turn_speedup,in_turn_q25,in_turn_q75,"
           "clocks_agree,"
           "blocks_per_sm,occupancy,limiter,problem\n";
}

std::string benchCsv(const BenchMatrix& matrix, const BenchOptions& options, const std::string& device)
{
    std::string text;
    const BenchRow* baseline = matrix.bestBaseline();
    const auto columns = static_cast<double>(options.denseColumns);
    const auto nnz = static_cast<double>(matrix.nnz), rows = static_cast<double>(matrix.rows);
    const double flops = 2 * nnz * columns;
    // What a CSR product moves when nothing is read twice.
    const double bytes =
        8 * nnz + 4 * (rows + 1) + 4 * columns * (static_cast<double>(matrix.usedColumns) + rows);
    const auto line = [&](const BenchRow& row) {
        const double warm = row.warm.median, setup = row.setupMicroseconds + row.conversionMicroseconds;
        const double speedup = baseline && warm > 0 ? baseline->warm.median / warm : 0;
        const bool final = row.best && matrix.final;
        text +=
            fmt::format("{},{},{},{},{},{},{},{},{},{},{:d},{:d},{:d},{:d},", quoted(matrix.name),
                        quoted(matrix.structure), matrix.rows, matrix.cols, matrix.nnz, options.denseColumns,
                        quoted(device), row.baseline ? "baseline" : "program", quoted(row.family),
                        quoted(row.variant), row.best, row.bestOfFamily, row.csr, row.dropped);
        text += fmt::format("{},{},{},{},{},{},{},", number(warm), number(row.warm.q25), number(row.warm.q75),
                            row.warm.n, number(row.cold ? row.cold->median : 0),
                            number(row.cold ? row.cold->q25 : 0), number(row.cold ? row.cold->q75 : 0));
        text += fmt::format("{},{},{},{},{},{},{},{},", number(warm > 0 ? flops / (1e3 * warm) : 0),
                            number(warm > 0 ? bytes / (1e3 * warm) : 0), number(row.floorMicroseconds),
                            number(warm > 0 ? row.floorMicroseconds / warm : 0),
                            number(row.setupMicroseconds), number(row.conversionMicroseconds), row.setupBytes,
                            speedup > 1 && !row.baseline
                                ? fmt::format("{:.0f}", std::ceil(setup / (baseline->warm.median - warm)))
                                : std::string());
        text += fmt::format(
            "{},{},{},{},{:d},{},{},{},{}\n", number(speedup),
            number(final ? matrix.final->speedup.median : 0), number(final ? matrix.final->speedup.q25 : 0),
            number(final ? matrix.final->speedup.q75 : 0), row.clocksAgree, row.occupancy.blocksPerSm,
            number(row.occupancy.fraction), quoted(row.occupancy.limiter), quoted(row.problem));
    };
    for (const BenchRow& row : matrix.table)
        line(row);
    if (matrix.table.empty()) {
        BenchRow none;
        none.problem = matrix.problem;
        line(none);
    }
    return text;
}

std::string benchSummary(const std::vector<BenchMatrix>& matrices, const BenchOptions&)
{
    Mean all, paper, limit;
    std::map<std::string, Mean> bins, classes;
    std::map<std::string, int> wins;
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
        bins[binOf(matrix.nnz)].add(ratio);
        classes[matrix.structure.empty() ? "other" : matrix.structure].add(ratio);
        ++wins[program->family];
        order.emplace_back(ratio, &matrix);
        if (const BenchRow* other = paperBaseline(matrix))
            paper.add(other->warm.median / program->warm.median);
        limit.add(program->floorMicroseconds / program->warm.median);
    }
    std::string text;
    if (order.empty())
        return "No matrix has both a correct program and a baseline.\n";
    text +=
        fmt::format("best program over best CSR baseline, warm, in turn: geometric mean {}\n", all.text());
    if (paper.n)
        text += fmt::format("  over DEFAULT without preprocessing: {:.3f}x over {} matrices\n", paper.value(),
                            paper.n);
    text += fmt::format("  share of the physical limit (geometric mean): {:.2f}\n", limit.value());
    for (const auto& [name, mean] : bins)
        text += fmt::format("  non-zeros {:<20} {}\n", name.substr(3), mean.text());
    for (const auto& [name, mean] : classes)
        text += fmt::format("  class {:<24} {}\n", name, mean.text());
    std::vector<std::pair<int, std::string>> winners;
    for (const auto& [family, count] : wins)
        winners.emplace_back(count, family);
    std::sort(winners.rbegin(), winners.rend());
    text += "  fastest family:";
    for (const auto& [count, family] : winners)
        text += fmt::format(" {} {}", family, count);
    const auto [single, mean] = bestSingle(matrices);
    if (mean.n)
        text += fmt::format("\n  best single program for all: {}: {}", single, mean.text());
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    text += "\n  worst:\n";
    for (std::size_t i = 0; i < std::min(worstShown, order.size()); ++i) {
        const BenchMatrix& m = *order[i].second;
        const BenchRow *program = m.bestProgram(), *baseline = m.bestBaseline();
        text += fmt::format("    {:.3f}x {} ({}, {} x {}, {} non-zeros): {} {} {:.2f} us, {} {:.2f} us\n",
                            order[i].first, m.name, m.structure, m.rows, m.cols, m.nnz, program->family,
                            program->variant, program->warm.median, baseline ? baseline->variant : "",
                            baseline ? baseline->warm.median : 0);
    }
    if (problems)
        text += fmt::format("  {} rows have a problem (last column of the table)\n", problems);
    if (clocks)
        text += fmt::format("  {} times on which events and the host's clock disagree\n", clocks);
    text += fmt::format("  {} on the device's thread\n", formatDuration(seconds));
    return text;
}

} // namespace sparserl

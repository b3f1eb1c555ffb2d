// SPDX-License-Identifier: Apache-2.0
#include "training/evaluated/evaluation_figures.h"

#include "base/quantile.h"
#include "project/queries/queries.h"
#include "target/workload.h"
#include "training/work/statistics.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace sparserl {

namespace {

constexpr double level = 0.95;
constexpr int draws = 2000;
constexpr std::uint64_t bootstrapSeed = 1; ///< The same numbers here, in the terminal and the next time.

double share(std::int64_t part, std::int64_t whole)
{
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::int64_t fewestSamples(std::span<const EvaluationEvent> rows)
{
    std::int64_t fewest = 0;
    for (const auto& row : rows)
        fewest = fewest == 0 ? row.samples : std::min(fewest, row.samples);
    return fewest;
}

using Key = std::pair<std::string, std::string>;
Key keyOf(const EvaluationEvent& row)
{
    TargetId target = row.target;
    if (target.contents.empty()) // of a row that nobody has read the matrix for
        target.contents = target.name;
    return {target.key(), row.split};
}

std::vector<std::int64_t> usualKs(std::span<const EvaluationEvent> rows)
{
    const auto fewest = fewestSamples(rows);
    std::set<std::int64_t> ks;
    for (const std::int64_t k : {1, 5, 10, 100, 1000}) {
        if (k <= fewest)
            ks.insert(k);
    }
    if (fewest > 0)
        ks.insert(fewest);
    return {ks.begin(), ks.end()};
}

using Pairs = std::vector<std::pair<const EvaluationEvent*, const EvaluationEvent*>>;

PairedFigure figure(std::string measure, PairedFigure::Kind kind,
                    const std::vector<std::pair<double, double>>& values)
{
    PairedFigure result;
    result.measure = std::move(measure);
    result.kind = kind;
    result.matrices = static_cast<std::int64_t>(values.size());
    if (values.empty())
        return result;
    const bool ratio = kind == PairedFigure::Kind::Ratio;
    std::vector<double> differences;
    for (const auto& [policy, other] : values) {
        const double a = ratio ? std::log(policy) : policy, b = ratio ? std::log(other) : other;
        result.policy += a / static_cast<double>(values.size());
        result.other += b / static_cast<double>(values.size());
        differences.push_back(a - b);
    }
    const auto interval = pairedBootstrap(differences, level, draws, bootstrapSeed);
    const auto shown = [&](double value) { return ratio ? std::exp(value) : value; };
    result.policy = shown(result.policy);
    result.other = shown(result.other);
    result.difference = shown(interval.mean);
    if (values.size() > 1)
        result.interval = {shown(interval.low), shown(interval.high)};
    return result;
}

std::string number(double value, const char* format)
{
    return fmt::format(fmt::runtime(format), value);
}

std::vector<std::string> boxCells(const BoxFigures& box)
{
    if (box.count == 0)
        return std::vector<std::string>(6, "-");
    std::vector<std::string> cells;
    for (const double value : {box.low, box.lowerQuartile, box.median, box.upperQuartile, box.high, box.mean})
        cells.push_back(number(value, "{:.2f}"));
    return cells;
}

} // namespace

EvaluationResult resultOf(std::string label, std::string baseline, std::vector<EvaluationEvent> rows)
{
    EvaluationResult result;
    result.label = std::move(label);
    result.baseline = std::move(baseline);
    result.rows = std::move(rows);
    result.ks = usualKs(result.rows);
    std::int64_t samples = 0, compiled = 0, correct = 0, faster = 0;
    for (const auto& row : result.rows) {
        samples += row.samples;
        compiled += row.compiled;
        correct += row.correct;
        faster += row.faster;
    }
    if (samples > 0) {
        result.metrics[metric::compileRate] = share(compiled, samples);
        result.metrics[metric::correctRate] = share(correct, samples);
        result.metrics[metric::fastRate.part("1.0")] = share(faster, samples);
    }
    for (const auto k : result.ks) {
        double sum = 0;
        for (const auto& row : result.rows)
            sum += passAtK(row.samples, row.correct, k);
        result.metrics[metric::passAt.part(fmt::format("@{}", k))] =
            sum / static_cast<double>(result.rows.size());
    }
    return result;
}

std::vector<double> passCurve(std::span<const EvaluationEvent> rows, bool fasterOnly)
{
    std::vector<double> curve(static_cast<std::size_t>(fewestSamples(rows)), 0.0);
    for (const auto& row : rows) {
        const auto n = static_cast<double>(row.samples);
        const auto failing = n - static_cast<double>(fasterOnly ? row.faster : row.correct);
        double miss = 1; // of k programs drawn without replacement none passes
        for (std::size_t k = 0; k < curve.size(); ++k) {
            const auto drawn = static_cast<double>(k);
            miss *= std::max(0.0, failing - drawn) / (n - drawn);
            curve[k] += (1 - miss) / static_cast<double>(rows.size());
        }
    }
    return curve;
}

std::vector<SplitRates> ratesBySplit(std::span<const EvaluationEvent> rows)
{
    const auto rank = [](const std::string& split) {
        return split == "held-out" ? 0 : split == "train" ? 1 : 2;
    };
    std::vector<SplitRates> list;
    for (const auto& row : rows) {
        auto at = std::find_if(list.begin(), list.end(),
                               [&](const SplitRates& rates) { return rates.split == row.split; });
        if (at == list.end()) {
            SplitRates fresh;
            fresh.split = row.split;
            at = list.insert(list.end(), std::move(fresh));
        }
        ++at->matrices;
        at->solved += row.correct > 0 ? 1 : 0;
        at->samples += row.samples;
        at->compiled += static_cast<double>(row.compiled);
        at->correct += static_cast<double>(row.correct);
        at->faster += static_cast<double>(row.faster);
    }
    for (auto& rates : list) {
        for (double* count : {&rates.compiled, &rates.correct, &rates.faster})
            *count /= std::max(1.0, static_cast<double>(rates.samples));
    }
    std::sort(list.begin(), list.end(), [&](const SplitRates& a, const SplitRates& b) {
        return std::pair(rank(a.split), a.split) < std::pair(rank(b.split), b.split);
    });
    return list;
}

BoxFigures boxOf(const std::vector<double>& values)
{
    BoxFigures box;
    box.count = static_cast<std::int64_t>(values.size());
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    box.low = sortedQuantile(sorted, 0);
    box.lowerQuartile = sortedQuantile(sorted, 0.25);
    box.median = sortedQuantile(sorted, 0.5);
    box.upperQuartile = sortedQuantile(sorted, 0.75);
    box.high = sortedQuantile(sorted, 1);
    box.mean = summarise(values).mean;
    return box;
}

std::vector<SizeBoxes> gflopsBySize(std::span<const EvaluationResult> results)
{
    std::vector<SizeBoxes> list;
    for (const auto& bin : sizeBins()) {
        SizeBoxes boxes;
        boxes.bin = bin.name;
        std::map<Key, double> baselines;
        bool any = false;
        for (const auto& result : results) {
            SizeBoxes::OfPolicy policy;
            std::vector<double> values;
            for (const auto& row : result.rows) {
                if (row.nnz < bin.from || row.nnz >= bin.to)
                    continue;
                ++policy.matrices;
                if (row.bestMicroseconds > 0)
                    values.push_back(workloadOf(row.target, row.nnz).gflops(row.bestMicroseconds));
                if (row.baselineMicroseconds > 0)
                    baselines.emplace(keyOf(row),
                                      workloadOf(row.target, row.nnz).gflops(row.baselineMicroseconds));
            }
            policy.box = boxOf(values);
            any = any || policy.matrices > 0;
            boxes.policies.push_back(policy);
        }
        if (!any)
            continue;
        std::vector<double> values;
        values.reserve(baselines.size());
        for (const auto& [key, value] : baselines)
            values.push_back(value);
        boxes.baseline = boxOf(values);
        list.push_back(std::move(boxes));
    }
    return list;
}

TextTable boxTable(std::span<const EvaluationResult> results)
{
    TextTable table{"GFLOPS of each matrix's best program by non-zeros",
                    {"non-zeros", "policy", "matrices", "solved", "smallest", "lower quartile", "median",
                     "upper quartile", "largest", "mean"},
                    {}};
    std::string baseline = "baseline";
    for (const auto& result : results) {
        if (!result.baseline.empty()) {
            baseline = result.baseline;
            break;
        }
    }
    for (const auto& boxes : gflopsBySize(results)) {
        const auto add = [&](const std::string& name, std::int64_t matrices, const BoxFigures& box) {
            std::vector<std::string> row{boxes.bin, name, std::to_string(matrices),
                                         std::to_string(box.count)};
            for (auto& cell : boxCells(box))
                row.push_back(std::move(cell));
            table.rows.push_back(std::move(row));
        };
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (boxes.policies[i].matrices > 0)
                add(results[i].label, boxes.policies[i].matrices, boxes.policies[i].box);
        }
        if (boxes.baseline.count > 0)
            add(baseline, boxes.baseline.count, boxes.baseline);
    }
    return table;
}

int PairedFigure::direction() const
{
    if (!interval)
        return 0;
    const double none = kind == Kind::Ratio ? 1 : 0;
    constexpr double rounding = 1e-9; // sums of equal shares miss each other by less
    return (*interval)[0] > none + rounding ? 1 : (*interval)[1] < none - rounding ? -1 : 0;
}

std::vector<PairedFigure> comparePolicies(const EvaluationResult& policy, const EvaluationResult& other)
{
    // In the order of the keys, whatever that of the rows is: the bootstrap draws the same numbers then.
    std::map<Key, std::pair<const EvaluationEvent*, const EvaluationEvent*>> all;
    for (const auto& row : policy.rows)
        all[keyOf(row)].first = &row;
    for (const auto& row : other.rows)
        all[keyOf(row)].second = &row;
    Pairs pairs;
    for (const auto& [key, pair] : all) {
        if (pair.first != nullptr && pair.second != nullptr)
            pairs.push_back(pair);
    }
    const std::set<std::int64_t> ks(policy.ks.begin(), policy.ks.end());
    std::vector<PairedFigure> figures;
    const auto add = [&](std::string name, PairedFigure::Kind kind, const auto& valueOf) {
        std::vector<std::pair<double, double>> values;
        for (const auto& [mine, theirs] : pairs) {
            const std::optional<double> a = valueOf(*mine), b = valueOf(*theirs);
            if (a && b)
                values.emplace_back(*a, *b);
        }
        figures.push_back(figure(std::move(name), kind, values));
    };
    using Row = const EvaluationEvent&;
    using Kind = PairedFigure::Kind;
    add("compiled", Kind::Share, [](Row row) { return std::optional(share(row.compiled, row.samples)); });
    add("correct", Kind::Share, [](Row row) { return std::optional(share(row.correct, row.samples)); });
    add("faster", Kind::Share, [](Row row) { return std::optional(share(row.faster, row.samples)); });
    for (const auto k : ks) {
        if (k > 1 && std::find(other.ks.begin(), other.ks.end(), k) != other.ks.end())
            add(fmt::format("pass@{}", k), Kind::Share, [k](Row row) {
                return k <= row.samples ? std::optional(passAtK(row.samples, row.correct, k)) : std::nullopt;
            });
    }
    add("speed-up", Kind::Ratio, [](Row row) {
        const double speedup = row.bestSpeedup();
        return speedup > 0 ? std::optional(speedup) : std::nullopt;
    });
    return figures;
}

TextTable comparisonTable(std::span<const EvaluationResult> results, std::size_t other)
{
    TextTable table{"Paired differences to " + results[other].label +
                        ": percentage points, of the speed-up a factor; 95 % intervals from a bootstrap over "
                        "the matrices",
                    {"policy", "measure", "matrices", "policy's", "other's", "difference", "from", "to"},
                    {}};
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (i == other)
            continue;
        for (const auto& figure : comparePolicies(results[i], results[other])) {
            if (figure.matrices == 0)
                continue;
            const bool ratio = figure.kind == PairedFigure::Kind::Ratio;
            const auto value = [&](double v) {
                return ratio ? number(v, "{:.3f}") : number(100 * v, "{:.2f}");
            };
            const auto signedValue = [&](double v) {
                return ratio ? number(v, "{:.3f}") : number(100 * v, "{:+.2f}");
            };
            table.rows.push_back({results[i].label, figure.measure, std::to_string(figure.matrices),
                                  value(figure.policy), value(figure.other), signedValue(figure.difference),
                                  figure.interval ? signedValue((*figure.interval)[0]) : "-",
                                  figure.interval ? signedValue((*figure.interval)[1]) : "-"});
        }
    }
    return table;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "training/evaluated/job_report.h"

#include "base/format.h"
#include "base/geometric_mean.h"
#include "project/run/journal.h"
#include "training/evaluated/evaluation_tables.h"
#include "verdict/names.h"

#include <cmath>
#include <fmt/format.h>
#include <map>

namespace sparserl {

Result<EvaluationReport> readEvaluation(const std::filesystem::path& runDirectory)
{
    EvaluationReport report;
    std::map<std::string, std::size_t> rowOfMatrix;
    const auto visit = [&](JournalEntry&& entry) {
        auto* evaluation = std::get_if<EvaluationEvent>(&entry.event);
        if (evaluation == nullptr || evaluation->split != split::heldOut) {
            return;
        }
        const auto [row, isNew] = rowOfMatrix.emplace(evaluation->target.key(), report.rows.size());
        if (isNew) {
            report.rows.push_back(std::move(*evaluation));
        } else {
            report.rows[row->second] = std::move(*evaluation); // A later evaluation replaces an earlier one.
        }
    };
    const auto restart = [&] {
        report.rows.clear();
        rowOfMatrix.clear();
    };
    SPARSERL_CHECK(visitJournal(runDirectory, visit, restart));
    return report;
}

namespace {

std::string microseconds(double value)
{
    return value > 0 ? fmt::format("{:.2f} us", value) : std::string("-");
}

std::string percent(std::int64_t part, std::int64_t whole)
{
    return whole > 0 ? fmt::format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole))
                     : std::string("-");
}

} // namespace

std::string tableText(const EvaluationReport& report)
{
    constexpr auto format = "{:<20} {:>8} {:>10} {:>9} {:>8} {:>12} {:>12} {:>8}  {}\n";
    std::string text = fmt::format(fmt::runtime(format), "matrix", "nnz", "candidates", "compiled", "correct",
                                   "best", "reference", "speed-up", "families");
    std::int64_t samples = 0, compiled = 0, correct = 0;
    GeometricMean mean;
    std::map<std::string, std::int64_t> families;
    const auto names = targetNames(report.rows);
    for (std::size_t r = 0; r < names.size(); ++r) {
        const EvaluationEvent& row = report.rows[r];
        const double speedup = row.bestSpeedup();
        text += fmt::format(fmt::runtime(format), names[r], row.nnz, row.samples,
                            percent(row.compiled, row.samples), percent(row.correct, row.samples),
                            microseconds(row.bestMicroseconds), microseconds(row.baselineMicroseconds),
                            speedup > 0 ? fmt::format("{:.2f}x", speedup) : "-", familiesText(row));
        samples += row.samples;
        compiled += row.compiled;
        correct += row.correct;
        for (const auto& [family, count] : row.familyCounts)
            families[family] += count;
        mean.add(speedup);
    }
    text +=
        fmt::format(fmt::runtime(format),
                    formatCounted(static_cast<std::int64_t>(report.rows.size()), "matrix", "matrices"), "",
                    samples, percent(compiled, samples), percent(correct, samples), "", "geo. mean",
                    mean.count() > 0 ? fmt::format("{:.2f}x", mean.value()) : "-", familiesText(families));
    return text;
}

} // namespace sparserl

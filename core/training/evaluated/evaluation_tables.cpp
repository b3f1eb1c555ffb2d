// SPDX-License-Identifier: Apache-2.0
#include "training/evaluated/evaluation_tables.h"

#include "base/beneath.h"
#include "base/csv.h"
#include "base/files.h"
#include "base/geometric_mean.h"
#include "project/files/run_files.h"
#include "project/queries/queries.h"
#include "project/run/journal.h"
#include "target/target_text.h"
#include "target/workload.h"
#include "training/evaluated/evaluation_baselines.h"
#include "training/evaluated/evaluation_figures.h"
#include "verdict/names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

namespace sparserl {

namespace {

constexpr std::array<SizeBin, 5> bins{{{0, 10'000, "below 10,000"},
                                       {10'000, 50'000, "10,000 to 50,000"},
                                       {50'000, 200'000, "50,000 to 200,000"},
                                       {200'000, 1'000'000, "200,000 to 1,000,000"},
                                       {1'000'000, INT64_MAX, "1,000,000 or more"}}};

std::string percent(double share)
{
    return fmt::format("{:.2f}", 100 * share);
}

std::string orDash(double value, const char* format)
{
    return value > 0 ? fmt::format(fmt::runtime(format), value) : std::string("-");
}

/// Means over the rows that have a correct program.
struct Best
{
    std::int64_t matrices = 0, solved = 0;
    double gflops = 0, speedup = 0, worst = 0;
};

Best bestOf(const std::vector<const EvaluationEvent*>& rows)
{
    Best best;
    GeometricMean mean;
    for (const auto* row : rows) {
        ++best.matrices;
        if (row->bestMicroseconds <= 0)
            continue;
        ++best.solved;
        best.gflops += workloadOf(row->target, row->nnz).gflops(row->bestMicroseconds);
        if (const double speedup = row->bestSpeedup(); speedup > 0) {
            mean.add(speedup);
            best.worst = best.worst > 0 ? std::min(best.worst, speedup) : speedup;
        }
    }
    if (best.solved > 0)
        best.gflops /= static_cast<double>(best.solved);
    best.speedup = mean.value();
    return best;
}

std::vector<const EvaluationEvent*> pointers(const EvaluationResult& result, const SizeBin& bin)
{
    std::vector<const EvaluationEvent*> rows;
    for (const auto& row : result.rows) {
        if (row.nnz >= bin.from && row.nnz < bin.to)
            rows.push_back(&row);
    }
    return rows;
}

std::string latexCell(const std::string& text)
{
    std::string escaped;
    for (const char c : text) {
        if (std::string_view("&%$#_{}").find(c) != std::string_view::npos)
            escaped += std::string("\\") + c;
        else if (c == '\\')
            escaped += "\\textbackslash{}";
        else if (c == '~')
            escaped += "\\textasciitilde{}";
        else if (c == '^')
            escaped += "\\textasciicircum{}";
        else
            escaped += c;
    }
    return escaped;
}

/// Names come from projects: no tag, no link and no picture comes of them where the table is shown.
std::string markdownCell(const std::string& text)
{
    std::string escaped;
    for (const char c : text) {
        if (c == '|' || (c == '(' && escaped.ends_with(']')))
            escaped += '\\';
        if (c == '<')
            escaped += "&lt;";
        else
            escaped += c == '\n' ? ' ' : c;
    }
    return escaped;
}

std::string line(const std::vector<std::string>& cells, const char* before, const char* between,
                 const char* after, std::string (*escape)(const std::string&))
{
    std::string text = before;
    for (std::size_t i = 0; i < cells.size(); ++i)
        text += (i > 0 ? between : "") + escape(cells[i]);
    return text + after;
}

/// Every k that is asked for and known of some policy.
std::vector<std::int64_t> allKs(std::span<const EvaluationResult> results)
{
    std::set<std::int64_t> ks;
    for (const auto& result : results) {
        for (const auto k : result.ks) {
            if (result.metrics.contains(metric::passAt.part(fmt::format("@{}", k))))
                ks.insert(k);
        }
    }
    return {ks.begin(), ks.end()};
}

} // namespace

std::span<const SizeBin> sizeBins()
{
    return bins;
}

std::string toCsv(const TextTable& table)
{
    std::string text = line(table.header, "", ",", "\n", csvCell);
    for (const auto& row : table.rows)
        text += line(row, "", ",", "\n", csvCell);
    return text;
}

std::string toMarkdown(const TextTable& table)
{
    std::string text =
        markdownCell(table.title) + "\n\n" + line(table.header, "| ", " | ", " |\n", markdownCell);
    for (std::size_t i = 0; i < table.header.size(); ++i)
        text += i == 0 ? "|---|" : "---:|";
    text += '\n';
    for (const auto& row : table.rows)
        text += line(row, "| ", " | ", " |\n", markdownCell);
    return text;
}

std::string toLatex(const TextTable& table)
{
    std::string text = "\\begin{table}\n\\caption{" + latexCell(table.title) + "}\n\\begin{tabular}{l" +
                       std::string(table.header.empty() ? 0 : table.header.size() - 1, 'r') +
                       "}\n\\toprule\n";
    text += line(table.header, "", " & ", " \\\\\n\\midrule\n", latexCell);
    for (const auto& row : table.rows)
        text += line(row, "", " & ", " \\\\\n", latexCell);
    return text + "\\bottomrule\n\\end{tabular}\n\\end{table}\n";
}

PolicyFigures figuresOf(const EvaluationResult& result)
{
    PolicyFigures figures;
    const auto metric = [&](const std::string& name) {
        const auto found = result.metrics.find(name);
        return found == result.metrics.end() ? std::nullopt : std::optional(found->second);
    };
    for (const auto k : result.ks) {
        if (const auto share = metric(metric::passAt.part(fmt::format("@{}", k))))
            figures.pass[k] = *share;
    }
    figures.compiled = metric(metric::compileRate).value_or(0);
    figures.correct = metric(metric::correctRate).value_or(0);
    figures.faster = metric(metric::fastRate.part("1.0")).value_or(0);
    const auto best = bestOf(pointers(result, {0, INT64_MAX, ""}));
    figures.gflops = best.gflops;
    figures.speedup = best.speedup;
    figures.worst = best.worst;
    return figures;
}

TextTable policyTable(std::span<const EvaluationResult> results)
{
    TextTable table;
    const auto ks = allKs(results);
    std::string baseline;
    for (const auto& result : results) {
        if (baseline.empty())
            baseline = result.baseline;
    }
    table.title =
        "pass@k, compilation rate (CR), correct and faster programs in percent; GFLOPS and speed-up over " +
        (baseline.empty() ? std::string("the baseline") : baseline) + " of each matrix's best program";
    table.header = {"policy"};
    for (const auto k : ks)
        table.header.push_back(fmt::format("pass@{}", k));
    for (const char* name : {"CR", "correct", "faster", "GFLOPS", "speed-up", "worst matrix"})
        table.header.emplace_back(name);
    for (const auto& result : results) {
        std::vector<std::string> row{result.label};
        const auto figures = figuresOf(result);
        for (const auto k : ks) {
            const auto found = figures.pass.find(k);
            row.push_back(found == figures.pass.end() ? std::string("-") : percent(found->second));
        }
        for (const double share : {figures.compiled, figures.correct, figures.faster})
            row.push_back(percent(share));
        row.push_back(orDash(figures.gflops, "{:.2f}"));
        row.push_back(orDash(figures.speedup, "{:.3f}"));
        row.push_back(orDash(figures.worst, "{:.3f}"));
        table.rows.push_back(std::move(row));
    }
    return table;
}

TextTable sizeTable(std::span<const EvaluationResult> results)
{
    TextTable table{"Best programs by non-zeros: mean GFLOPS, geometric mean and worst of the speed-ups",
                    {"policy", "non-zeros", "matrices", "solved", "GFLOPS", "speed-up", "worst matrix"},
                    {}};
    for (const auto& result : results) {
        for (const auto& bin : bins) {
            const auto best = bestOf(pointers(result, bin));
            if (best.matrices > 0)
                table.rows.push_back({result.label, bin.name, std::to_string(best.matrices),
                                      std::to_string(best.solved), orDash(best.gflops, "{:.2f}"),
                                      orDash(best.speedup, "{:.3f}"), orDash(best.worst, "{:.3f}")});
        }
    }
    return table;
}

std::vector<std::string> targetNames(std::span<const EvaluationEvent> rows)
{
    const bool alike = std::all_of(rows.begin(), rows.end(), [&](const EvaluationEvent& row) {
        return row.target.sameVariant(rows.front().target);
    });
    std::vector<std::string> names;
    for (const EvaluationEvent& row : rows)
        names.push_back(alike ? row.target.name : labelOf(row.target));
    return names;
}

TextTable matrixTable(std::span<const EvaluationResult> results)
{
    TextTable table{"Matrices", {"policy", "matrix", "split", "nnz", "samples", "compiled", "correct"}, {}};
    const auto ks = allKs(results);
    for (const auto k : ks)
        table.header.push_back(fmt::format("pass@{}", k));
    for (const char* name :
         {"faster", "best_us", "baseline_us", "speedup", "gflops", "families", "best_family"})
        table.header.emplace_back(name);
    const auto references = referencesOf(results);
    for (const auto& name : references) {
        table.header.push_back(name + "_us");
        table.header.push_back("speedup_over_" + name);
    }
    for (const auto& result : results) {
        const auto names = targetNames(result.rows);
        for (std::size_t r = 0; r < names.size(); ++r) {
            const EvaluationEvent& row = result.rows[r];
            std::vector<std::string> cells{result.label,
                                           names[r],
                                           row.split,
                                           std::to_string(row.nnz),
                                           std::to_string(row.samples),
                                           std::to_string(row.compiled),
                                           std::to_string(row.correct)};
            for (const auto k : ks)
                cells.push_back(k <= row.samples ? fmt::format("{:.4f}", passAtK(row.samples, row.correct, k))
                                                 : std::string());
            cells.push_back(std::to_string(row.faster));
            cells.push_back(orDash(row.bestMicroseconds, "{:.3f}"));
            cells.push_back(orDash(row.baselineMicroseconds, "{:.3f}"));
            cells.push_back(orDash(row.bestSpeedup(), "{:.3f}"));
            cells.push_back(orDash(workloadOf(row.target, row.nnz).gflops(row.bestMicroseconds), "{:.2f}"));
            cells.push_back(familiesText(row.familyCounts));
            cells.push_back(row.bestFamily);
            for (const auto& name : references) {
                const auto known = row.references.find(name);
                cells.push_back(orDash(known == row.references.end() ? 0 : known->second, "{:.3f}"));
                cells.push_back(orDash(speedupOver(row, name), "{:.3f}"));
            }
            table.rows.push_back(std::move(cells));
        }
    }
    return table;
}

Status checkTableName(const std::filesystem::path& file)
{
    const auto extension = file.extension().string();
    if (extension == ".csv" || extension == ".md" || extension == ".tex")
        return {};
    return failAt(file.string(), 0, "tables are not written in this format",
                  "Use a name that ends in .csv, .md or .tex");
}

Status writeTables(std::span<const EvaluationResult> results, const std::filesystem::path& file)
{
    SPARSERL_CHECK(checkTableName(file));
    const auto extension = file.extension().string();
    if (extension == ".csv")
        return writeFileAtomic(file, toCsv(matrixTable(results)));
    std::string (*const format)(const TextTable&) = extension == ".md" ? toMarkdown : toLatex;
    std::string text = format(policyTable(results)) + "\n" + format(baselineTable(results)) + "\n" +
                       format(sizeTable(results)) + "\n" + format(boxTable(results)) + "\n";
    if (results.size() > 1)
        text += format(comparisonTable(results, 0)) + "\n";
    return writeFileAtomic(file, text + format(matrixTable(results)));
}

Result<EvaluationResult> readEvaluationResult(const std::filesystem::path& runDirectory,
                                              std::string_view splitName)
{
    EvaluationResult result;
    std::map<std::string, EvaluationEvent> rows; // a later evaluation of a matrix replaces an earlier one
    const auto restart = [&] {
        rows.clear();
        result = {};
    };
    const auto visit = [&](JournalEntry&& entry) {
        if (auto* row = std::get_if<EvaluationEvent>(&entry.event); row != nullptr && row->split == splitName)
            rows[row->target.name + row->target.key()] = std::move(*row);
        else if (auto* metrics = std::get_if<MetricEvent>(&entry.event);
                 metrics != nullptr && metrics->split == splitName)
            result.metrics = std::move(metrics->values);
        else if (const auto* verdict = std::get_if<VerdictEvent>(&entry.event);
                 verdict != nullptr && result.baseline.empty())
            result.baseline = verdict->record.baselineName;
    };
    SPARSERL_CHECK(visitJournal(runDirectory, visit, restart));
    if (rows.empty())
        return failAt(runDirectory.string(), 0,
                      splitName == split::heldOut ? "the run has evaluated no held-out matrix"
                                                  : "The run has evaluated no matrix of this split",
                      "Name runs of the evaluate stage");
    result.label = std::filesystem::absolute(runDirectory).lexically_normal().filename().string();
    const std::string prefix = metric::passAt.part("@");
    for (const auto& [name, value] : result.metrics) {
        if (name.starts_with(prefix))
            result.ks.push_back(std::strtoll(name.c_str() + prefix.size(), nullptr, 10));
    }
    for (auto& [key, row] : rows)
        result.rows.push_back(std::move(row));
    if (splitName == split::train)
        result.label += trainedOnMark;
    return result;
}

Result<std::vector<EvaluationResult>> readEvaluationResults(const std::filesystem::path& runDirectory)
{
    std::vector<EvaluationResult> results;
    if (!glance(runDirectory / runFile).exists)
        return failAt(runDirectory.string(), 0, "there is no run here",
                      "Name runs of the evaluate stage; `sparserl runs` lists the runs of a project");
    auto heldOut = readEvaluationResult(runDirectory, split::heldOut);
    auto trainedOn = readEvaluationResult(runDirectory, split::train);
    if (!heldOut && !trainedOn)
        return fail(heldOut.error());
    for (auto* result : {&heldOut, &trainedOn})
        if (*result)
            results.push_back(std::move(**result));
    return results;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "training/evaluated/ablation.h"

#include "base/toml.h"
#include "training/parameters/embedded_files.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

Result<AblationCell> readCell(const toml::table& table, const Ablation& ablation, const std::string& file)
{
    AblationCell cell;
    cell.name = table["name"].value_or(std::string());
    cell.run = table["run"].value_or(std::string());
    if (cell.name.empty())
        return failAt(file, lineOf(table), "a cell has no name", "Add name = \"...\"");
    const auto& stages = ablation.job.stages;
    const auto stage =
        std::find_if(stages.begin(), stages.end(), [&](const JobStage& s) { return s.run == cell.run; });
    if (stage == stages.end())
        return failAt(
            file, lineOf(table),
            fmt::format("the cell \"{}\" names the run \"{}\", which is not a stage", cell.name, cell.run),
            "Add run = \"...\" with the run of a [[stage]]");
    SPARSERL_TRY(const auto preset, findPreset(stage->preset));
    if (preset.stage != StageKind::Evaluate)
        return failAt(
            file, lineOf(table),
            fmt::format("the run \"{}\" of the cell \"{}\" belongs to the {} stage, which evaluates nothing",
                        cell.run, cell.name, nameOf(preset.stage)),
            "Name a stage with a preset such as quickstart-evaluate");
    cell.paper.resize(ablation.paperColumns.size());
    const toml::array* paper = table["paper"].as_array();
    if (paper == nullptr)
        return cell;
    if (paper->size() != cell.paper.size())
        return failAt(file, lineOf(*paper),
                      fmt::format("the cell \"{}\" has {} numbers of the paper for {} columns", cell.name,
                                  paper->size(), cell.paper.size()),
                      "Write one for each of paper_columns, \"\" where there is none");
    for (std::size_t i = 0; i < cell.paper.size(); ++i)
        cell.paper[i] = paper->get(i)->value<double>();
    return cell;
}

Result<Ablation> ablationFromText(const std::string& text, const std::string& name, const std::string& file)
{
    SPARSERL_TRY(const auto table, parseToml(text, file));
    Ablation ablation;
    ablation.name = name;
    ablation.title = table["title"].value_or(std::string());
    ablation.source = table["source"].value_or(std::string());
    ablation.note = table["note"].value_or(std::string());
    SPARSERL_TRY(ablation.job, parseJob(text, file));
    for (const JobStage& stage : ablation.job.stages) {
        for (const std::string& assignment : stage.assignments) {
            if (assignment.starts_with("seed="))
                return failAt(file, 0, fmt::format("the run \"{}\" sets a seed of its own", stage.run),
                              "Leave it out: every run has the seeds of --seeds");
        }
    }
    if (const toml::array* columns = table["paper_columns"].as_array()) {
        for (const toml::node& node : *columns)
            ablation.paperColumns.push_back(node.value_or(std::string()));
    }
    const toml::array* cells = table["cell"].as_array();
    if (cells == nullptr || cells->empty())
        return failAt(file, 0, "the table has no cells",
                      "Add [[cell]] with a name and the run of an evaluation");
    for (const toml::node& node : *cells) {
        const toml::table* entry = node.as_table();
        if (entry == nullptr)
            return failAt(file, lineOf(node), "a cell is not a table", "Write [[cell]]");
        SPARSERL_TRY(auto cell, readCell(*entry, ablation, file));
        ablation.cells.push_back(std::move(cell));
    }
    return ablation;
}

std::string prefixOf(const Ablation& ablation, std::int64_t seed)
{
    return fmt::format("{}-s{}-", ablation.name, seed);
}

/// "41.25 (38.1 to 44.2)" of several seeds, "41.25" of one, "-" of none.
std::string meanText(const std::vector<double>& values, const char* format)
{
    if (values.empty())
        return "-";
    double sum = 0;
    for (const double value : values)
        sum += value;
    const auto shown = [&](double value) { return fmt::format(fmt::runtime(format), value); };
    std::string text = shown(sum / static_cast<double>(values.size()));
    if (values.size() > 1) {
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        text += fmt::format(" ({} to {})", shown(*low), shown(*high));
    }
    return text;
}

} // namespace

Result<std::vector<Ablation>> builtInAblations()
{
    return embedded::readAll(embedded::ablations(), "projects/ablations", ablationFromText);
}

Result<Ablation> findAblation(const std::string& nameOrFile)
{
    SPARSERL_TRY(auto all, builtInAblations());
    return embedded::findOne(std::move(all), "table", nameOrFile, ablationFromText);
}

Result<Job> ablationJob(const Ablation& ablation, std::span<const std::int64_t> seeds,
                        const std::vector<std::string>& assignments)
{
    for (const std::string& assignment : assignments)
        if (assignment.starts_with("seed="))
            return fail("every run of a table has the seeds of --seeds, so none can be set",
                        "Say --seeds " + assignment.substr(5));
    Job job;
    job.title = ablation.title;
    for (const std::int64_t seed : seeds) {
        std::vector<std::string> all{fmt::format("seed={}", seed)};
        all.insert(all.end(), assignments.begin(), assignments.end());
        SPARSERL_TRY(auto one, variantOf(ablation.job, prefixOf(ablation, seed), all));
        for (JobStage& stage : one.stages) {
            if (seeds.size() > 1)
                stage.title += fmt::format(" (seed {})", seed);
            job.stages.push_back(std::move(stage));
        }
    }
    return job;
}

std::string ablationRun(const Ablation& ablation, const AblationCell& cell, std::int64_t seed)
{
    return prefixOf(ablation, seed) + cell.run;
}

TextTable ablationTable(const Ablation& ablation, std::span<const std::vector<EvaluationResult>> results)
{
    std::vector<std::vector<PolicyFigures>> figures;
    std::vector<std::int64_t> ks;
    for (const auto& ofCell : results) {
        auto& mine = figures.emplace_back();
        for (const auto& result : ofCell) {
            mine.push_back(figuresOf(result));
            for (const auto& [k, share] : mine.back().pass) {
                if (std::find(ks.begin(), ks.end(), k) == ks.end())
                    ks.push_back(k);
            }
        }
    }
    std::sort(ks.begin(), ks.end());
    TextTable table;
    table.title =
        ablation.title + " (" + ablation.source +
        "): pass@k, compilation rate (CR) and correct programs in percent, GFLOPS and speed-up of each "
        "matrix's best program";
    table.header = {"policy"};
    for (const auto k : ks)
        table.header.push_back(fmt::format("pass@{}", k));
    for (const char* name : {"CR", "correct", "GFLOPS", "speed-up"})
        table.header.emplace_back(name);
    for (const auto& column : ablation.paperColumns)
        table.header.push_back("paper: " + column);
    for (std::size_t c = 0; c < ablation.cells.size() && c < figures.size(); ++c) {
        const AblationCell& cell = ablation.cells[c];
        std::vector<std::string> row{cell.name};
        const auto add = [&](const char* format, auto&& figure) {
            std::vector<double> values;
            for (const PolicyFigures& one : figures[c]) {
                if (const std::optional<double> value = figure(one))
                    values.push_back(*value);
            }
            row.push_back(meanText(values, format));
        };
        const auto shown = [](double share) { return std::optional(100 * share); };
        const auto positive = [](double value) { return value > 0 ? std::optional(value) : std::nullopt; };
        for (const auto k : ks)
            add("{:.1f}", [&](const PolicyFigures& f) {
                const auto found = f.pass.find(k);
                return found == f.pass.end() ? std::nullopt : shown(found->second);
            });
        add("{:.1f}", [&](const PolicyFigures& f) { return shown(f.compiled); });
        add("{:.1f}", [&](const PolicyFigures& f) { return shown(f.correct); });
        add("{:.2f}", [&](const PolicyFigures& f) { return positive(f.gflops); });
        add("{:.3f}", [&](const PolicyFigures& f) { return positive(f.speedup); });
        for (const auto& number : cell.paper)
            row.push_back(number ? fmt::format("{:.2f}", *number) : "-");
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace sparserl

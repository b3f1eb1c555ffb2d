// SPDX-License-Identifier: Apache-2.0
#include "app/cli/search_report.h"

#include "base/geometric_mean.h"
#include "search/lineage.h"
#include "target/family_names.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

nlohmann::json countsJson(const std::vector<ProposalCounts>& counts)
{
    nlohmann::json list = nlohmann::json::array();
    for (const ProposalCounts& one : counts)
        list.push_back({{"name", one.name},
                        {"share", one.share},
                        {"tried", one.tried},
                        {"new", one.fresh},
                        {"correct", one.correct},
                        {"improved", one.improved},
                        {"gain", one.gain}});
    return list;
}

std::string countsTable(const std::string& title, std::vector<ProposalCounts> counts)
{
    std::stable_sort(counts.begin(), counts.end(), [](const ProposalCounts& a, const ProposalCounts& b) {
        return std::pair(a.gain, a.improved) > std::pair(b.gain, b.improved);
    });
    std::string text = fmt::format("    {:<16} {:>6} {:>6} {:>8} {:>9} {:>8} {:>7}\n", title, "tried", "new",
                                   "correct", "improved", "gain", "share");
    for (const ProposalCounts& one : counts)
        text += fmt::format("    {:<16} {:>6} {:>6} {:>8} {:>9} {:>+7.1f}% {:>6.1f}%\n", one.name, one.tried,
                            one.fresh, one.correct, one.improved, 100 * (one.gain - 1), 100 * one.share);
    return text;
}

nlohmann::json programJson(const SearchedProgram& program)
{
    return {{"number", program.number},
            {"source", program.source},
            {"origin", program.origin},
            {"niche", program.niche},
            {"microseconds", program.microseconds},
            {"speedup", program.speedup},
            {"seconds", program.seconds}};
}

std::string lineageText(const SearchedMatrix& matrix, const SearchedProgram& record)
{
    std::string text = "    from the corpus to the record:\n";
    for (const LineageStep& step : lineageOf(matrix.search.archive, record)) {
        text += fmt::format("      {:>9.2f} us", step.microseconds);
        text += step.gain == 1 ? std::string(9, ' ') : fmt::format(" {:+7.2f}%", 100 * (step.gain - 1));
        text += "  " + step.words + "\n";
    }
    return text;
}

} // namespace

const SearchedProgram* SearchedMatrix::record() const
{
    return ranking ? search.archive.find(ranking->record) : search.archive.best();
}

void showSearch(const Context& context, const SearchedMatrix& matrix)
{
    const SearchedProgram* record = matrix.record();
    const FunnelCounts& funnel = matrix.search.funnel;
    nlohmann::json json{{"matrix", matrix.name},
                        {"nnz", matrix.nnz},
                        {"seconds", matrix.search.seconds},
                        {"interrupted", matrix.search.interrupted},
                        {"funnel",
                         {{"proposed", funnel.proposed},
                          {"repeated", funnel.repeated},
                          {"refused", funnel.refused},
                          {"judged", funnel.judged},
                          {"compiled", funnel.compiled},
                          {"new", funnel.fresh},
                          {"correct", funnel.correct}}},
                        {"sources", countsJson(matrix.search.sources)},
                        {"edits", countsJson(matrix.search.edits)}};
    std::string text = fmt::format("{:<36} {:>9} non-zeros", matrix.name, matrix.nnz);
    if (!record)
        text += funnel.judged > 0 ? "  no program is correct on it"
                                  : "  no program was judged in this time; raise --seconds";
    if (const auto& ranking = matrix.ranking) {
        text += fmt::format("  {:9.2f} us, {:.3f}x over {} ({:.2f} us), {:.0f} % of the limit\n",
                            ranking->recordMicroseconds, ranking->recordSpeedup, ranking->baseline,
                            ranking->baselineMicroseconds, 100 * ranking->shareOfLimit);
        text +=
            ranking->record == ranking->bench
                ? std::string("    nothing better than bench's best was found")
                : fmt::format("    gain over bench's best ({:.2f} us, {:.3f}x): {:.3f}x, in single rounds "
                              "{:.3f} to {:.3f}",
                              ranking->benchMicroseconds, ranking->benchSpeedup, ranking->gain,
                              ranking->leastGain, ranking->mostGain);
        json["device"] = ranking->device;
        json["gain"] = {{"mean", ranking->gain}, {"least", ranking->leastGain}, {"most", ranking->mostGain}};
        json["record_us"] = ranking->recordMicroseconds;
        json["record_speedup"] = ranking->recordSpeedup;
        json["bench_us"] = ranking->benchMicroseconds;
        json["bench_speedup"] = ranking->benchSpeedup;
        json["baseline"] = {{"name", ranking->baseline}, {"microseconds", ranking->baselineMicroseconds}};
        json["share_of_limit"] = ranking->shareOfLimit;
        json["refused_in_the_end"] = ranking->refused;
        if (const SearchedProgram* bench = matrix.search.archive.find(ranking->bench))
            json["bench"] = programJson(*bench);
    } else if (record) {
        text += fmt::format("  {:9.2f} us, {:.3f}x, not ranked again", record->microseconds, record->speedup);
    }
    text += '\n';
    if (record) {
        json["record"] = programJson(*record);
        json["record"]["text"] = record->text;
        json["record"]["lineage"] = nlohmann::json::array();
        for (const LineageStep& step : lineageOf(matrix.search.archive, *record))
            json["record"]["lineage"].push_back({{"number", step.number},
                                                 {"words", step.words},
                                                 {"microseconds", step.microseconds},
                                                 {"gain", step.gain}});
        text += lineageText(matrix, *record);
        if (!matrix.file.empty()) {
            json["file"] = matrix.file;
            text += "    program: " + matrix.file + "\n";
        }
    }
    text +=
        fmt::format("    {} proposed, {} repeated, {} refused unjudged, {} judged in {:.1f} s, {} compiled, "
                    "{} new, {} correct\n",
                    funnel.proposed, funnel.repeated, funnel.refused, funnel.judged, matrix.search.seconds,
                    funnel.compiled, funnel.fresh, funnel.correct);
    text += countsTable("source", matrix.search.sources); // also one that was never asked
    auto edits = matrix.search.edits;
    std::erase_if(edits, [](const ProposalCounts& one) { return one.tried == 0; });
    if (!edits.empty())
        text += countsTable("edit", edits);
    text.pop_back();
    context.emit(json);
    if (!context.json)
        context.print(text);
}

void showSearchSummary(const Context& context, const std::vector<SearchedMatrix>& matrices)
{
    GeometricMean gain, speedup;
    int better = 0;
    for (const SearchedMatrix& matrix : matrices) {
        if (!matrix.ranking)
            continue;
        gain.add(matrix.ranking->gain);
        speedup.add(matrix.ranking->recordSpeedup);
        better += matrix.ranking->leastGain > 1 ? 1 : 0;
    }
    if (gain.count() < 2 || context.json)
        return;
    context.print(fmt::format("{} matrices: {:.3f}x over the baseline, {:.3f}x over bench's best (geometric "
                              "means); on {} better in every round",
                              gain.count(), speedup.value(), gain.value(), better));
}

} // namespace sparserl::cli

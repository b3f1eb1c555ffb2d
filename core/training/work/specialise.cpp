// SPDX-License-Identifier: Apache-2.0
#include "training/work/specialise.h"

#include "project/run/journal.h"
#include "training/parameters/parameter_keys.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace sparserl {

namespace {

double timeOf(const VerdictRecord& record)
{
    return record.warm ? record.warm->median : std::numeric_limits<double>::infinity();
}

/// What one run found, the last verdict of a program on a target each.
Status addRun(const std::filesystem::path& run, std::map<std::string, std::vector<FoundProgram>>& all)
{
    std::map<std::string, std::string> texts, families;
    std::map<std::pair<std::string, std::string>, VerdictRecord> verdicts; // By program and target.
    SPARSERL_CHECK(visitJournal(
        run,
        [&](JournalEntry&& entry) {
            if (auto* program = std::get_if<ProgramEvent>(&entry.event))
                texts[program->hash] = std::move(program->text);
            else if (auto* sample = std::get_if<SampleEvent>(&entry.event))
                families[sample->programHash] = sample->family;
            else if (auto* verdict = std::get_if<VerdictEvent>(&entry.event))
                verdicts[{verdict->record.programHash, verdict->record.target.key()}] =
                    std::move(verdict->record);
        },
        [&] {
            texts.clear();
            verdicts.clear();
        }));
    for (auto& [key, record] : verdicts) {
        const auto text = texts.find(key.first);
        const std::string target = key.second;
        if (record.correct() && record.warm && !isDoubtful(record) && text != texts.end())
            all[target].push_back({run, text->second, families[key.first], std::move(record)});
    }
    return {};
}

} // namespace

Result<Job> specialiseJob(const SpecialiseOptions& options)
{
    SPARSERL_TRY(const auto preset, findPreset(options.preset));
    if (preset.stage != StageKind::Rl)
        return fail(
            fmt::format("the preset {} belongs to the {} stage", options.preset, nameOf(preset.stage)),
            "Name one of the rl stage, see `sparserl train --list`");
    constexpr std::int64_t mostAtOnce = 8;
    const auto value = [](std::string_view key, const auto& v) { return fmt::format("{}={}", key, v); };
    Job job;
    job.title = "Specialisation";
    // No matrix is held out: the ones at hand are what counts.
    job.stages.push_back({"rl",
                          options.preset,
                          options.policy.string(),
                          "Learning on the selected matrices",
                          {value(param::rl::iterations.key, options.iterations),
                           value(param::rl::matrices.key, std::min(options.matrices, mostAtOnce)),
                           value(param::rl::samples.key, options.samples), value(param::eval::every.key, 0),
                           value(param::eval::samples.key, 0), value(param::seed.key, options.seed),
                           value(param::judge::device.key, options.device)}});
    job.stages.push_back(
        {"kernels",
         "quickstart-evaluate",
         "rl",
         "Programs of the specialised policy",
         {value(param::evaluate::split.key, "all"), value(param::evaluate::samples.key, options.samples),
          value(param::evaluate::information.key, 0), value(param::evaluate::exchange.key, "false"),
          value(param::seed.key, options.seed), value(param::judge::device.key, options.device)}});
    for (auto& stage : job.stages) {
        if (options.columns > 0) {
            stage.assignments.push_back(value(param::task.key, nameOf(Task::SpMM)));
            stage.assignments.push_back(value(param::denseColumns.key, options.columns));
        }
        if (options.type != ElementType::F32)
            stage.assignments.push_back(value(param::elementType.key, nameOf(options.type)));
    }
    return variantOf(std::move(job), {}, options.assignments);
}

Result<std::map<std::string, std::vector<FoundProgram>>>
fastestPrograms(const std::vector<std::filesystem::path>& runs, std::size_t most)
{
    std::map<std::string, std::vector<FoundProgram>> all;
    for (const auto& run : runs) {
        SPARSERL_CHECK(addRun(run, all));
    }
    for (auto& [target, programs] : all) {
        std::stable_sort(programs.begin(), programs.end(),
                         [](const auto& a, const auto& b) { return timeOf(a.record) < timeOf(b.record); });
        std::set<std::string> kernels;
        std::erase_if(programs, [&](const FoundProgram& program) {
            const auto& record = program.record;
            return !kernels.insert(record.ptxHash.empty() ? record.programHash : record.ptxHash).second;
        });
        if (programs.size() > most)
            programs.erase(programs.begin() + static_cast<std::ptrdiff_t>(most), programs.end());
    }
    return all;
}

Result<std::vector<VerifiedProgram>> verifyPrograms(Judge& judge, const StageTarget& matrix,
                                                    const std::vector<FoundProgram>& programs,
                                                    std::uint64_t seed, const CancelToken& cancel,
                                                    const Progress& progress)
{
    std::vector<JudgeRequest> requests;
    for (const auto& program : programs) {
        JudgeRequest request;
        request.program = program.text;
        request.target = matrix.target;
        request.seed = seed;
        requests.push_back(std::move(request));
    }
    std::size_t done = 0;
    SPARSERL_TRY(auto records, judge.judge(requests, cancel, [&](std::size_t, const VerdictRecord&) {
        if (progress)
            progress(static_cast<double>(++done) / static_cast<double>(requests.size()),
                     "verifying the fastest programs");
    }));
    std::vector<VerifiedProgram> verified;
    for (std::size_t i = 0; i < records.size(); ++i)
        verified.push_back({programs[i], std::move(records[i])});
    std::stable_sort(verified.begin(), verified.end(), [](const auto& a, const auto& b) {
        const auto rank = [](const VerdictRecord& r) {
            return r.correct() && !isDoubtful(r) ? timeOf(r) : std::numeric_limits<double>::infinity();
        };
        return rank(a.record) < rank(b.record);
    });
    return verified;
}

std::optional<double> callsToBreakEven(const VerdictRecord& record)
{
    if (!record.correct() || !record.warm || record.baselineMicroseconds <= record.warm->median)
        return std::nullopt;
    return std::ceil(record.setupMicroseconds / (record.baselineMicroseconds - record.warm->median));
}

} // namespace sparserl

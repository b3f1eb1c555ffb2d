// SPDX-License-Identifier: Apache-2.0
#include "training/work/stage_setup.h"

#include "base/log.h"
#include "project/files/run_files.h"
#include "project/run/default_policy.h"
#include "training/parameters/parameter_keys.h"
#include "training/work/process_place.h"
#include "training/work/run_stage.h"
#include "training/work/run_targets.h"
#include "verdict/names.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

Result<std::vector<StageTarget>> loadStageTargets(Project& project, const CancelToken& cancel,
                                                  const Progress& progress, bool doubles)
{
    std::vector<StageTarget> matrices;
    const auto entries = project.matrices();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (progress)
            progress(static_cast<double>(i) / static_cast<double>(entries.size()),
                     "reading " + entries[i].name);
        SPARSERL_TRY(auto loaded, project.load(entries[i], cancel, {}, doubles));
        StageTarget matrix{{{.contents = loaded.digest, .name = loaded.name}, loaded.matrix},
                           entries[i].split == split::heldOut};
        for (const MatrixWarning& warning : loaded.warnings)
            matrix.warnings.push_back(warning.sentence(entries[i].file));
        matrices.push_back(std::move(matrix));
    }
    if (matrices.empty())
        return failAt((project.path() / "project.toml").string(), 0, "The project has no matrices",
                      "Add some with `sparserl import FILE --project DIR`");
    return matrices;
}

bool needsDoubles(const RunDirectory& run)
{
    const auto stage = stageOf(run);
    return stage && elementTypeOf(stage->parameters) != ElementType::F32;
}

std::filesystem::path parentOf(const RunConfig& config)
{
    const std::filesystem::path project = config.project;
    if (!config.parentCheckpoint.empty()) {
        if (config.parentCheckpoint == defaultPolicyName)
            return policyPlace(config.parentCheckpoint);
        const std::filesystem::path parent = config.parentCheckpoint;
        return parent.is_absolute() ? parent : project / parent;
    }
    return config.parentRun.empty() ? std::filesystem::path() : project / "runs" / config.parentRun;
}

namespace {

/// GPUs of one of several processes of a machine: no two may measure on the same.
Result<std::vector<int>> ownGpus(const std::vector<int>& all, const ProcessGroup& processes)
{
    const auto n = static_cast<std::size_t>(processes.localSize());
    const auto own = static_cast<std::size_t>(processes.localRank());
    if (n == 1)
        return all;
    if (all == std::vector<int>{0}) // what nobody has chosen
        return std::vector<int>{processes.localRank()};
    if (all.size() < n)
        return fail(fmt::format("judge.gpus names {} GPUs for {} processes of this machine", all.size(), n),
                    "Name one for each process at least, such as judge.gpus=0,1");
    std::vector<int> gpus;
    for (std::size_t i = own; i < all.size(); i += n)
        gpus.push_back(all[i]);
    return gpus;
}

} // namespace

Result<std::unique_ptr<Judge>> makeStageJudge(const ParameterSet& parameters, const ProcessGroup& processes)
{
    JudgeOptions options;
    options.deviceModel = parameters[param::judge::model];
    if (const std::int64_t seed = parameters[param::judge::seed]; seed > 0)
        options.secretSeed = static_cast<std::uint64_t>(seed);
    options.requiredSandbox =
        sandboxLevelFromName(parameters[param::judge::sandbox]).value_or(SandboxLevel::None);
    const std::string& device = parameters[param::judge::device];
    SPARSERL_TRY(options.gpus, gpuNumbers(parameters[param::judge::gpus]));
    if (device != "sim") {
        SPARSERL_TRY(options.gpus, ownGpus(options.gpus, processes));
    }
    if (processes.localSize() > 1) {
        options.simRunners = coresOf(processes.localSize());
        options.compileRunners = std::max(1, options.simRunners / 2);
        options.backgroundThreads = std::max(2, options.simRunners / 2);
    }
    options.gpuInTurn = parameters[param::judge::inTurn];
    options.everyKind = options.gpuInTurn; // Final figures.
    options.gpuCold = parameters[param::judge::cold];
    if (parameters.has(param::search::samples.key) && !options.gpuInTurn)
        options.gpuSamples = static_cast<int>(parameters[param::search::samples]);
    if (device != "sim")
        options.timing = parameters[param::judge::timing];
    if (processes.localRank() == 0) { // the others of a machine would say the same
        options.log = [logger = Logger::toStderr()](std::string_view sentence) {
            logger.write(LogLevel::Info, sentence);
        };
    }
    return makeJudge(device, options);
}

std::function<Result<std::unique_ptr<Judge>>()> finalJudges(ParameterSet parameters)
{
    return [final = std::move(parameters)]() mutable -> Result<std::unique_ptr<Judge>> {
        SPARSERL_CHECK(final.setAssignment("judge.in_turn=true"));
        SPARSERL_CHECK(final.setAssignment("judge.cold=true"));
        return makeStageJudge(final);
    };
}

Result<bool> measuresOnGpu(const ParameterSet& parameters, int gpu)
{
    if (parameters[param::judge::device] == "sim")
        return false; // "auto" is the GPU where one works, as one does for the policy.
    SPARSERL_TRY(const auto gpus, gpuNumbers(parameters[param::judge::gpus]));
    return std::find(gpus.begin(), gpus.end(), gpu) != gpus.end();
}

Result<StageSetup> setUpStage(const RunDirectory& run, const CancelToken& cancel, const Progress& progress,
                              std::shared_ptr<ProcessGroup> processes)
{
    const auto& config = run.config();
    SPARSERL_TRY(const auto stage, stageOf(run));
    const ParameterSet& parameters = stage.parameters;
    if (config.project.empty())
        return failAt((run.path() / runFile).string(), 0,
                      "the run belongs to no project, so it has no matrices",
                      "Start it with `sparserl train --project DIR`");
    SPARSERL_TRY(auto project, Project::open(config.project));
    SPARSERL_TRY(auto matrices,
                 loadStageTargets(project, cancel, progress, elementTypeOf(parameters) != ElementType::F32));
    StageSetup setup;
    SPARSERL_TRY(setup.environment.chosen, readSftSet(project.path()));
    setup.environment.runs = project.runsPath();
    SPARSERL_TRY(auto judge, makeStageJudge(parameters, *processes));
    setup.judge = std::move(judge);
    setup.environment.processes = std::move(processes);
    setup.environment.matrices = std::move(matrices);
    setup.environment.judge = setup.judge.get();
    setup.environment.makeFinalJudge = finalJudges(parameters);
    setup.environment.parent = parentOf(config);
    setup.environment.cancel = cancel;
    setup.environment.progress = progress;
    return setup;
}

} // namespace sparserl

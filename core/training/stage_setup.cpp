// SPDX-License-Identifier: Apache-2.0
#include "training/stage_setup.h"

#include "base/log.h"
#include "training/parameter_keys.h"

#include <fmt/format.h>

namespace sparserl {

Result<std::vector<StageMatrix>> loadStageMatrices(Project& project, const CancelToken& cancel,
                                                   const Progress& progress)
{
    std::vector<StageMatrix> matrices;
    const auto entries = project.matrices();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (progress)
            progress(static_cast<double>(i) / static_cast<double>(entries.size()),
                     "reading " + entries[i].name);
        SPARSERL_TRY(auto loaded, project.load(entries[i], cancel));
        StageMatrix matrix{loaded.name, loaded.digest, entries[i].split == "held-out", loaded.matrix};
        for (const MatrixWarning& warning : loaded.warnings)
            matrix.warnings.push_back(warning.sentence(entries[i].file));
        matrices.push_back(std::move(matrix));
    }
    if (matrices.empty())
        return failAt((project.path() / "project.toml").string(), 0, "The project has no matrices",
                      "Add some with `sparserl import FILE --project DIR`");
    return matrices;
}

std::filesystem::path parentOf(const RunConfig& config)
{
    const std::filesystem::path project = config.project;
    if (!config.parentCheckpoint.empty()) {
        const std::filesystem::path parent = config.parentCheckpoint;
        return parent.is_absolute() ? parent : project / parent;
    }
    return config.parentRun.empty() ? std::filesystem::path() : project / "runs" / config.parentRun;
}

Result<std::unique_ptr<Judge>> makeStageJudge(const ParameterSet& parameters)
{
    JudgeOptions options;
    options.deviceModel = parameters[param::judge::model];
    const std::string device = parameters[param::judge::device];
    SPARSERL_TRY(auto gpus, gpuNumbers(parameters[param::judge::gpus]));
    options.gpus = std::move(gpus);
    options.gpuInTurn = parameters[param::judge::inTurn];
    options.gpuCold = parameters[param::judge::cold];
    if (device != "sim")
        options.timing = parameters[param::judge::timing];
    options.log = [logger = Logger::toStderr()](std::string_view sentence) {
        logger.write(LogLevel::Info, sentence);
    };
    return makeJudge(device, options);
}

Result<StageSetup> setUpStage(const RunDirectory& run, const CancelToken& cancel, const Progress& progress)
{
    const auto& config = run.config();
    const auto kind = stageKindFromName(config.stage);
    if (!kind)
        return failAt((run.path() / "run.toml").string(), 0, kind.error().what, kind.error().remedy);
    const auto parameters = parametersFromRun(*kind, config.parameters);
    if (!parameters)
        return failAt((run.path() / "run.toml").string(), 0, parameters.error().what,
                      parameters.error().remedy);
    if (config.project.empty())
        return failAt((run.path() / "run.toml").string(), 0,
                      "The run belongs to no project, so it has no matrices",
                      "Start it with `sparserl train --project DIR`");
    SPARSERL_TRY(auto project, Project::open(config.project));
    SPARSERL_TRY(auto matrices, loadStageMatrices(project, cancel, progress));
    StageSetup setup;
    SPARSERL_TRY(auto judge, makeStageJudge(*parameters));
    setup.judge = std::move(judge);
    setup.environment.matrices = std::move(matrices);
    setup.environment.judge = setup.judge.get();
    setup.environment.parent = parentOf(config);
    setup.environment.cancel = cancel;
    setup.environment.progress = progress;
    return setup;
}

} // namespace sparserl

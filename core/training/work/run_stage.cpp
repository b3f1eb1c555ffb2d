// SPDX-License-Identifier: Apache-2.0
#include "training/work/run_stage.h"

namespace sparserl {

Result<RunStage> stageOf(const RunDirectory& run)
{
    const auto kind = stageKindFromName(run.config().stage);
    if (!kind)
        return fail(run.configError(kind.error()));
    auto parameters = parametersFromRun(*kind, run.config().parameters);
    if (!parameters)
        return fail(run.configError(parameters.error()));
    return RunStage{*kind, std::move(*parameters)};
}

} // namespace sparserl

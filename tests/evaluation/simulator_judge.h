// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge/make_judge.h"

#include <QtGlobal>
#include <memory>
#include <utility>

namespace sparserl::tests {

/// A judge on the simulated device with a fixed secret; nullptr, after a warning, if there can be none.
inline std::unique_ptr<Judge> simulatorJudge()
{
    JudgeOptions options;
    options.secretSeed = 1;
    options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    auto judge = makeSimulatorJudge(options);
    if (judge)
        return std::move(*judge);
    qWarning("%s", judge.error().sentence().c_str());
    return nullptr;
}

} // namespace sparserl::tests

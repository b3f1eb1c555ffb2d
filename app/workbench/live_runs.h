// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run/launch.h"

#include <filesystem>
#include <vector>

class QWidget;

namespace sparserl {

/// What to do with training that is still running when the window closes.
enum class QuitChoice
{
    KeepRunning,
    CheckpointAndStop,
    Cancel
};

/// Asks the user; with no live run the answer is KeepRunning without a question.
QuitChoice askAboutLiveRuns(const std::vector<WorkerInfo>& live, QWidget* parent);
/// Sends each run "checkpoint" and "stop". Sentences about those that could not be reached.
std::vector<std::string> checkpointAndStop(const std::vector<WorkerInfo>& live);

} // namespace sparserl

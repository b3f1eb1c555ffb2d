// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run/launch.h"

#include <filesystem>
#include <vector>

class QWidget;

namespace sparserl {

/// What to do with running training when the window closes.
enum class QuitChoice
{
    KeepRunning,
    CheckpointAndStop,
    Cancel
};

/// Asks the user. Without live runs, returns KeepRunning without a question.
QuitChoice askAboutLiveRuns(const std::vector<WorkerInfo>& live, QWidget* parent);
/// Sends "checkpoint" and "stop" to each run. Returns a sentence for each run that could not be reached.
std::vector<std::string> checkpointAndStop(const std::vector<WorkerInfo>& live);

} // namespace sparserl

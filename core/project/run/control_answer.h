// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run/journal.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// What a run's journal says of commands from the moment on that this was made: make it, send the command
/// (appendControl), then poll.
class ControlAnswers
{
public:
    /// Fails where the journal cannot be read; one that is not there yet is empty.
    static Result<ControlAnswers> fromNow(const std::filesystem::path& runDirectory);

    /// The `control` events that came since the last poll, in order.
    Result<std::vector<ControlEvent>> poll();

private:
    ControlAnswers(std::filesystem::path run, JournalPosition position);
    std::filesystem::path m_run;
    JournalPosition m_position;
};

} // namespace sparserl

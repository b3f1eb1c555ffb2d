// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run/journal.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// Watches a run's journal for answers to commands. Create it, send the command (appendControl), then poll.
class ControlAnswers
{
public:
    /// Fails if the journal cannot be read. A missing journal counts as empty.
    static Result<ControlAnswers> fromNow(const std::filesystem::path& runDirectory);

    /// The `control` events since the last poll, in order.
    Result<std::vector<ControlEvent>> poll();

private:
    ControlAnswers(std::filesystem::path run, JournalPosition position);
    std::filesystem::path m_run;
    JournalPosition m_position;
};

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run/journal.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// Watches the journal of a run for answers to commands. Create it, then send a command (appendControl()),
/// then poll.
class ControlAnswers
{
public:
    /// Starts to watch at the present end of the journal. A journal that does not exist counts as empty.
    /// Fails if the journal cannot be read.
    static Result<ControlAnswers> fromNow(const std::filesystem::path& runDirectory);

    /// Returns the `control` events since the last call, in order.
    Result<std::vector<ControlEvent>> poll();

private:
    ControlAnswers(std::filesystem::path run, JournalPosition position);
    std::filesystem::path m_run;
    JournalPosition m_position;
};

} // namespace sparserl

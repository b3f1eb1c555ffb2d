// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace sparserl {

/// One line of control.jsonl: a command to a run. `control` events with its id answer each command.
struct ControlCommand
{
    enum class Kind
    {
        Pause,
        Resume,
        Stop,
        Checkpoint,
        Set
    };
    std::string id; ///< Unique; appendControl creates one if empty.
    double t = 0;   ///< Unix seconds; now if 0.
    Kind kind = Kind::Pause;
    std::string key, value; ///< For Set: parameter and its new value as text.
};
std::string_view nameOf(ControlCommand::Kind kind); ///< "pause", "resume", "stop", "checkpoint", "set"

/// Appends a command in one write(2), so commands of several senders never mix. Returns the command's id.
Result<std::string> appendControl(const std::filesystem::path& runDirectory, ControlCommand command);

/// Delivers each command to the worker once. `set` is durable: it stays pending until a kept `control` event
/// answers its id, so a change that was rolled back with the journal's tail is delivered again. Other
/// commands are meant for the live worker: those present in the file at its start, or already answered, are
/// void. The order counts, not the times, because clocks differ.
class ControlReader
{
public:
    /// `answered`: ids of control events with outcome applied or refused. `begin`: file length at the
    /// worker's start.
    ControlReader(const std::filesystem::path& runDirectory, std::set<std::string> answered,
                  std::int64_t begin);

    /// Commands since the last poll, in order. Unreadable lines are reported once in `problems()`.
    std::vector<ControlCommand> poll();
    const std::vector<std::string>& problems() const { return m_problems; }

private:
    std::filesystem::path m_file;
    std::set<std::string> m_answered;
    std::set<std::string> m_seen; ///< Ids already seen in the file: each counts once.
    std::int64_t m_begin = 0;
    std::int64_t m_offset = 0;
    std::vector<std::string> m_problems;
};

/// The length of control.jsonl. Earlier commands are not meant for a worker started now.
std::int64_t controlLength(const std::filesystem::path& runDirectory);

/// All commands ever sent to a run.
Result<std::vector<ControlCommand>> readControl(const std::filesystem::path& runDirectory);

} // namespace sparserl

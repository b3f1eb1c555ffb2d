// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace sparserl {

/// One line of control.jsonl: what the user asks of a run. Every command is answered by `control` events with
/// its id.
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
    std::string id; ///< Unique; made by appendControl if empty.
    double t = 0;   ///< Unix seconds; now if 0.
    Kind kind = Kind::Pause;
    std::string key, value; ///< For Set: parameter and its new value as text.
};
std::string_view nameOf(ControlCommand::Kind kind); ///< "pause", "resume", "stop", "checkpoint", "set"

/// Appends a command in one write(2), so that several senders never mix lines. Gives the command's id.
Result<std::string> appendControl(const std::filesystem::path& runDirectory, ControlCommand command);

/// Gives the worker each command once. `set` is durable: it stays pending until some kept `control` event
/// answers its id, so a change that was rolled back with the journal's tail is delivered again. The others
/// are for the worker that lives: those that stood in the file when it was started, or are answered already,
/// are void. It is their order that counts: clocks differ and are set.
class ControlReader
{
public:
    /// `answered`: ids of control events with outcome applied or refused. `begin`: how long the file was when
    /// the worker was started.
    ControlReader(const std::filesystem::path& runDirectory, std::set<std::string> answered,
                  std::int64_t begin);

    /// Commands that arrived since the last poll, in order. Unreadable lines are reported in `problems()`,
    /// once.
    std::vector<ControlCommand> poll();
    const std::vector<std::string>& problems() const { return m_problems; }

private:
    std::filesystem::path m_file;
    std::set<std::string> m_answered;
    std::set<std::string> m_seen; ///< Ids that stood in the file: each counts once.
    std::int64_t m_begin = 0;
    std::int64_t m_offset = 0;
    std::vector<std::string> m_problems;
};

/// How long control.jsonl is: what stands before is not meant for a worker that is started now.
std::int64_t controlLength(const std::filesystem::path& runDirectory);

/// All commands ever sent to a run.
Result<std::vector<ControlCommand>> readControl(const std::filesystem::path& runDirectory);

} // namespace sparserl

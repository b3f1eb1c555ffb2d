// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace sparserl {

/// A command to a run: one line of control.jsonl. The run answers with `control` events that carry the
/// command's id.
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
    std::string id; ///< Unique; appendControl() creates one if it is empty.
    double t = 0;   ///< Unix seconds; appendControl() replaces 0 with the current time.
    Kind kind = Kind::Pause;
    std::string key, value; ///< For Set: the parameter, and its new value as text.
};
std::string_view nameOf(ControlCommand::Kind kind); ///< "pause", "resume", "stop", "checkpoint", "set"

/// Appends a command in one write(2), so that the commands of several senders never mix. Returns the
/// command's id.
Result<std::string> appendControl(const std::filesystem::path& runDirectory, ControlCommand command);

/// Delivers each command to the worker once. A `set` is durable: it stays pending until the journal contains
/// a `control` event that answers it. A change that a resume has rolled back with the end of the journal is
/// thus delivered again. Other commands are meant for the worker that is alive. They are void if they were in
/// the file when the worker started, or if they were answered. The order of commands decides instead of their
/// times, because clocks differ.
class ControlReader
{
public:
    /// `answered` holds the ids of commands that were applied or refused. `begin` is the length of the file
    /// when the worker started.
    ControlReader(const std::filesystem::path& runDirectory, std::set<std::string> answered,
                  std::int64_t begin);

    /// Returns the commands since the last call, in order. Adds a sentence to problems() for each unreadable
    /// line.
    std::vector<ControlCommand> poll();
    const std::vector<std::string>& problems() const { return m_problems; }

private:
    std::filesystem::path m_file;
    std::set<std::string> m_answered;
    /// Ids of the commands in the file so far; only the first command with an id counts.
    std::set<std::string> m_seen;
    std::int64_t m_begin = 0;
    std::int64_t m_offset = 0;
    std::vector<std::string> m_problems;
};

/// Returns the length of control.jsonl. The commands in it are not meant for a worker that starts now.
std::int64_t controlLength(const std::filesystem::path& runDirectory);

/// Reads all commands that were ever sent to a run.
Result<std::vector<ControlCommand>> readControl(const std::filesystem::path& runDirectory);

} // namespace sparserl

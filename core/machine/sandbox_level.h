// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// How strictly the process that runs a model's program is locked, from lowest to highest.
enum class SandboxLevel
{
    None,  ///< Its system calls are not filtered.
    Calls, ///< Its system calls are filtered, but it can read files that its user can read.
    Files, ///< Files and other processes of the user are out of reach as well.
    Full   ///< All barriers are in force: a filter that passes only needed calls, Landlock, a separate root,
           ///< and other rights than the user's.
};
inline constexpr std::array sandboxLevels{SandboxLevel::None, SandboxLevel::Calls, SandboxLevel::Files,
                                          SandboxLevel::Full};

std::string_view nameOf(SandboxLevel level); ///< "none", "calls", "files", "full"
std::optional<SandboxLevel> sandboxLevelFromName(std::string_view name);
/// Returns the guarantees of a level as a sentence.
std::string_view meaningOf(SandboxLevel level);

/// Says how strictly the processes of one role are locked.
struct RoleSandbox
{
    std::string role; ///< "compile", "sim", "nvdisasm", "cuda"
    SandboxLevel level = SandboxLevel::None;
    std::vector<std::string> lacks;              ///< Barriers missing for the highest level: "no Landlock".
    std::map<std::string, std::int64_t> refused; ///< The number of refusals of each system call, if counted.
    /// Returns a phrase such as "files (no Landlock)".
    std::string words() const;
};

} // namespace sparserl

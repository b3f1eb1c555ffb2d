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

/// How well the process is locked that runs what a model wrote, from the lowest to the highest.
enum class SandboxLevel
{
    None,  ///< Its system calls are not filtered.
    Calls, ///< Its system calls are filtered, but it can read files that its user can read.
    Files, ///< Files and other processes of the user are out of reach as well.
    Full   ///< Every fence stands: needed calls only, Landlock, a root of its own, other rights than the
           ///< user's.
};
inline constexpr std::array sandboxLevels{SandboxLevel::None, SandboxLevel::Calls, SandboxLevel::Files,
                                          SandboxLevel::Full};

std::string_view nameOf(SandboxLevel level); ///< "none", "calls", "files", "full"
std::optional<SandboxLevel> sandboxLevelFromName(std::string_view name);
/// What holds at that level, as a sentence.
std::string_view meaningOf(SandboxLevel level);

/// How well the processes of one role are locked.
struct RoleSandbox
{
    std::string role; ///< "compile", "sim", "nvdisasm", "cuda"
    SandboxLevel level = SandboxLevel::None;
    std::vector<std::string> lacks; ///< What keeps it from the highest level, such as "no Landlock".
    std::map<std::string, std::int64_t>
        refused; ///< How often system calls were refused, where that was counted.
    /// "files (no Landlock)"
    std::string words() const;
};

} // namespace sparserl

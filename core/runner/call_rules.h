// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sparserl {

/// Roles of locked processes. Each has its own list of system calls.
enum class LockedRole
{
    Work,  ///< The roles compile and sim: computing and one socket.
    Tool,  ///< nvdisasm: reads its libraries and its input.
    Gpu,   ///< The role cuda: the calls of a working driver.
    Script ///< The role import: a Python that reads its libraries and its input.
};
inline constexpr std::array lockedRoles{LockedRole::Work, LockedRole::Tool, LockedRole::Gpu,
                                        LockedRole::Script};

/// A call passes if (argument & mask) == value. The value `ownProcess` stands for the caller's process id.
struct CallCondition
{
    unsigned argument = 0;
    std::uint64_t mask = 0; ///< 0: no condition.
    std::uint64_t value = 0;
};
constexpr std::uint64_t ownProcess = ~std::uint64_t(0);
constexpr std::uint64_t wholeArgument = ~std::uint64_t(0);

/// A system call that some roles may make. If a call has several rows, it passes if any row allows it.
struct CallRule
{
    std::string_view call;
    unsigned roles = 0; ///< Bits 1 << LockedRole.
    CallCondition when;
    std::string_view reason; ///< What needs the call, and what the call may do; for docs/sandbox.md.
    bool allows(LockedRole role) const { return roles >> static_cast<unsigned>(role) & 1; }
};

/// All allowed calls. Others are refused.
std::span<const CallRule> callRules();

/// Calls that are refused even for a driver that does not work with the list above. Such a driver may make
/// all other calls known to the kernels of 2024 (`lastKnownCall`), under the conditions in callRules(), if
/// any.
std::span<const std::string_view> neverAllowed();
constexpr int lastKnownCall = 461;

/// Calls for which the cuda role returns ENOSYS: if they do not exist, libraries use alternatives.
std::span<const std::string_view> answeredAsMissing();

/// The call's number on this processor, or -1.
int numberOf(std::string_view call);
/// The call's name, or its number if the name is unknown.
std::string callName(int number);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sparserl {

/// What locked processes are for; each has a list of system calls of its own.
enum class LockedRole
{
    Work, ///< The roles compile and sim: computing and one socket.
    Tool, ///< nvdisasm: reads its libraries and its input.
    Gpu   ///< The role cuda: what a driver does once it works.
};
inline constexpr std::array lockedRoles{LockedRole::Work, LockedRole::Tool, LockedRole::Gpu};

/// A call passes where (argument & mask) == value. `ownProcess` as value is the caller's process id.
struct CallCondition
{
    unsigned argument = 0;
    std::uint64_t mask = 0; ///< 0: no condition.
    std::uint64_t value = 0;
};
constexpr std::uint64_t ownProcess = ~std::uint64_t(0);
constexpr std::uint64_t wholeArgument = ~std::uint64_t(0);

/// A system call that some roles may make. Several rows of one call: any of them may pass.
struct CallRule
{
    std::string_view call;
    unsigned roles = 0; ///< Bits 1 << LockedRole.
    CallCondition when;
    std::string_view reason; ///< What needs it, and what it may do; for docs/sandbox.md.
    bool allows(LockedRole role) const { return roles >> static_cast<unsigned>(role) & 1; }
};

/// Everything that is let through. What is not here is refused.
std::span<const CallRule> callRules();

/// What even a driver that does not work with the list above must not do: it may do everything else that the
/// kernels of 2024 know (`lastKnownCall`), with the conditions of callRules() where that has some.
std::span<const std::string_view> neverAllowed();
constexpr int lastKnownCall = 461;

/// Of calls that are not there, libraries know another way; the cuda role answers ENOSYS to these.
std::span<const std::string_view> answeredAsMissing();

/// The call's number on this processor, or -1.
int numberOf(std::string_view call);
/// The call's name, or its number where nobody here knows a name.
std::string callName(int number);

} // namespace sparserl

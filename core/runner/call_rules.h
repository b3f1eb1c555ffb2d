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
    Work,  ///< The roles compile and sim: they compute and use one socket.
    Tool,  ///< The role disassemble: nvdisasm, which reads its libraries and its input.
    Gpu,   ///< The role cuda: it makes all calls that a driver needs.
    Script ///< The role import: Python, which reads its libraries and its input.
};
inline constexpr std::array lockedRoles{LockedRole::Work, LockedRole::Tool, LockedRole::Gpu,
                                        LockedRole::Script};

/// The condition (argument & mask) == value on an argument of a call. The value `ownProcess` stands for the
/// caller's process id.
struct CallCondition
{
    unsigned argument = 0;
    std::uint64_t mask = 0; ///< 0: every call satisfies the condition.
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
    std::string_view reason; ///< What needs the call, and what the call may do. Printed in docs/sandbox.md.
    bool allows(LockedRole role) const { return roles >> static_cast<unsigned>(role) & 1; }
};

/// Returns all allowed calls. All other calls are refused.
std::span<const CallRule> callRules();

/// Returns the calls that are refused even for a driver that does not work with callRules() alone. Such a
/// driver may make all other calls that the kernels of 2024 know (up to `lastKnownCall`). If callRules() has
/// conditions for a call, they still apply.
std::span<const std::string_view> neverAllowed();
constexpr int lastKnownCall = 461;

/// Returns the calls that fail with ENOSYS in the role cuda, because libraries use alternatives if these
/// calls do not exist.
std::span<const std::string_view> answeredAsMissing();

/// Returns the call's number on this processor, or -1 if it has none.
int numberOf(std::string_view call);
/// Returns the call's name, or its number if the name is unknown.
std::string callName(int number);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/bind.h"

#include <optional>
#include <span>
#include <string>

namespace sparserl {

/// One `.param` of a compiled kernel, in order.
struct KernelParameter
{
    std::int64_t bytes = 0;
    std::string type; ///< PTX type without the dot ("u64", "f32", "b8"); may be empty where it is unknown.
    std::string name; ///< As written in the source, if known: only used in messages.
};

/// Matches the arguments of a call with the parameters of its kernel by position: arrays need 8 bytes,
/// expressions a 4- or 8-byte integer that holds the value. A failure is a `plan-error`.
std::optional<BindFailure> checkParameters(const BoundPlan& plan, const BoundCall& call,
                                           std::span<const KernelParameter> parameters);

/// The bytes of each parameter in order (little endian), for a call that checkParameters accepted.
/// `address(i)` is the device address of buffer i.
template <typename AddressOf>
std::vector<std::byte> packParameter(const BoundArgument& argument, std::int64_t bytes, AddressOf&& address)
{
    std::uint64_t value = 0;
    if (const auto* buffer = std::get_if<BufferRef>(&argument))
        value = static_cast<std::uint64_t>(address(buffer->index));
    else
        value = static_cast<std::uint64_t>(std::get<std::int64_t>(argument));
    std::vector<std::byte> out(static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < out.size() && i < 8; ++i)
        out[i] = static_cast<std::byte>((value >> (8 * i)) & 0xff);
    return out;
}

} // namespace sparserl

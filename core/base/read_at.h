// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace sparserl {

/// pread(2) until `bytes` are read or the file ends, whatever signals come between. Gives how many were read,
/// or nothing where the system refuses, with its reason in errno.
std::optional<std::size_t> readAt(int file, std::uint64_t offset, char* into, std::size_t bytes);

} // namespace sparserl

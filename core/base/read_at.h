// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace sparserl {

/// Repeats pread(2) until `bytes` are read or the file ends; retries after signals. Returns the number of
/// bytes read, or nullopt with the reason in errno.
std::optional<std::size_t> readAt(int file, std::uint64_t offset, char* into, std::size_t bytes);

} // namespace sparserl

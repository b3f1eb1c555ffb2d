// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sparserl {

/// Bytes of address space that this process and what it starts may use (ulimit -v), where that is limited.
std::optional<std::uint64_t> addressSpaceLimit();

/// "this process may use 512.0 MiB of memory (ulimit -v)", or empty where nothing limits it: to be named
/// wherever memory ran out.
std::string addressSpaceSentence();

} // namespace sparserl

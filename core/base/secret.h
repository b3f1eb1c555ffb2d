// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparserl {

/// Returns an unpredictable number from the system's generator. It is not 0 and has 53 bits, so text and JSON
/// preserve it.
std::uint64_t drawSecret();

} // namespace sparserl

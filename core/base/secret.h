// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparserl {

/// An unpredictable number from the system's generator: 53 bits and not 0, so text and JSON preserve it.
std::uint64_t drawSecret();

} // namespace sparserl

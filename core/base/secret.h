// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparserl {

/// A number that nobody can foresee, from the system's generator: 53 bits and not 0, so that text and JSON
/// keep it.
std::uint64_t drawSecret();

} // namespace sparserl

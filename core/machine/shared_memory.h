// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparserl {

/// Bytes of shared memory, static plus dynamic, that a block may use on every device without opting in to
/// more (CUDA C++ Programming Guide, technical specifications).
inline constexpr std::int64_t sharedBytesOfEveryDevice = 48 * 1024;

} // namespace sparserl

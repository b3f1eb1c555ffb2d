// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparserl {

/// Identifies the current boot of this machine: the kernel's boot_id as one word, or "-" if it has none.
/// Process ids and times since boot are meaningful only together with it.
std::string bootId();

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/capabilities.h"

#include <filesystem>

namespace sparserl {

/// What operator tasks need: the oracle beside the runner, and a Python with PyTorch, which only imports
/// take. `runner`: as in CapabilityOptions.
Capability operatorCapability(const std::filesystem::path& runner);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace sparserl {

/// A generous upper bound on the bytes of a policy's weights, computed from its config.json; nullopt if no
/// config.json gives the sizes. A larger file does not belong to this policy; hashing it could take minutes,
/// although a sparse file costs its sender nothing. An Error concerns this machine, not the policy.
Result<std::optional<std::uint64_t>> mostWeightBytes(const std::filesystem::path& folder);

} // namespace sparserl

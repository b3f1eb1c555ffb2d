// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/hash.h"
#include "base/rng.h"

#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>

namespace sparserl {

/// The seed of what a policy reads of a matrix. `contents` is the matrix's digest.
inline std::uint64_t viewSeed(std::uint64_t seed, const std::string& contents)
{
    return seedFrom(fmt::format("embedding {} {}", seed, contents));
}

/// The seed of the n-th program for a matrix, wherever it is written.
inline std::uint64_t programSeed(std::uint64_t seed, const std::string& contents, std::size_t number)
{
    return Rng(seed).derive(contents).derive(static_cast<std::uint64_t>(number)).seed();
}

} // namespace sparserl

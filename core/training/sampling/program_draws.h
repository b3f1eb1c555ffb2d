// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/hash.h"
#include "base/rng.h"

#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>

namespace sparserl {

/// Returns the seed for the view of a matrix that a policy reads. `contents` is the digest of the matrix.
inline std::uint64_t viewSeed(std::uint64_t seed, const std::string& contents)
{
    return seedFrom(fmt::format("embedding {} {}", seed, contents));
}

/// Returns the seed of the n-th program for a matrix. All writers of programs use this seed.
inline std::uint64_t programSeed(std::uint64_t seed, const std::string& contents, std::size_t number)
{
    return Rng(seed).derive(contents).derive(static_cast<std::uint64_t>(number)).seed();
}

} // namespace sparserl

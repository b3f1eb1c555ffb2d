// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>

namespace sparserl::cli {

/// Adds the seed option, which every command that judges programs has. With 0, the default, the judge draws a
/// seed.
inline void addJudgeSeed(CLI::App& command, std::uint64_t& seed)
{
    command.add_option("--judge-seed", seed, "Seed of test matrices and inputs; 0: a random one")
        ->check(CLI::Range(std::uint64_t(0), std::uint64_t(1) << 53))
        ->capture_default_str();
}

/// The option's value for JudgeOptions::secretSeed.
inline std::optional<std::uint64_t> secretOf(std::uint64_t judgeSeed)
{
    return judgeSeed > 0 ? std::optional(judgeSeed) : std::nullopt;
}

} // namespace sparserl::cli

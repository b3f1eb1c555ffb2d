// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "search/search.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sparserl::cli {

/// A policy on the command line that proposes programs in a search.
struct SearchPolicy
{
    std::string word;      ///< A checkpoint, run directory or policy directory, or the name of an endpoint.
    bool endpoint = false; ///< Whether `word` is the name of an endpoint.
    std::vector<double> temperatures;
    std::uint64_t seed = 1;
    std::map<std::string, double> shares; ///< Shares of the policy's sources, by name.
};

/// Adds the sources of a policy to the sources of the search for a target.
using AddPolicySources = std::function<void(Proposers& proposers, const Target& target)>;
/// Loads a policy. Fails if there is none.
using LoadPolicy =
    std::function<Result<AddPolicySources>(const Context& context, const SearchPolicy& policy)>;

/// Adds `sparserl search`. Without `load`, a temporary search with a policy replaces this process by
/// sparserl-training, which has the same command.
Body addSearch(CLI::App& app, Context& context, LoadPolicy load);

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
// A search with a policy that no run keeps; sparserl becomes this program for it.
#include "app/cli/search_command.h"
#include "training/sampling/policy_proposer.h"
#include "training/work/find_policy.h"

namespace sparserl::cli {

namespace {

Result<AddPolicySources> loadPolicy(const Context& context, const SearchPolicy& policy)
{
    SPARSERL_TRY(const auto folder, findPolicy(policy.word));
    SPARSERL_TRY(const auto writer, loadSearchPolicy(folder, policy.seed));
    SPARSERL_CHECK(checkShares(policy.shares, *writer));
    return
        [&context, writer, temperatures = policy.temperatures](Proposers& proposers, const Target& target) {
            addPolicySources(
                proposers, writer, target, temperatures, context.cancel,
                [&context](double fraction) { context.progress(fraction, "the policy writes programs"); });
        };
}

} // namespace

Body add_search(CLI::App& app, Context& context)
{
    return addSearch(app, context, loadPolicy);
}

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
// A search with a policy that no run keeps; sparserl becomes this program for it.
#include "app/cli/endpoint_words.h"
#include "app/cli/search_command.h"
#include "training/sampling/policy_proposer.h"
#include "training/work/find_policy.h"

#include <memory>
#include <utility>

namespace sparserl::cli {

namespace {

Result<std::shared_ptr<const ProgramWriter>> writerOf(const Context& context, const SearchPolicy& policy)
{
    if (policy.endpoint) {
        GenerationOptions options;
        options.seed = policy.seed;
        SPARSERL_TRY(auto client, clientOf(context, policy.word));
        SPARSERL_TRY(auto writer, ProgramWriter::ofEndpoint(std::move(client), options));
        return std::make_shared<const ProgramWriter>(std::move(writer));
    }
    SPARSERL_TRY(const auto folder, findPolicy(policy.word));
    return loadSearchPolicy(folder, policy.seed);
}

Result<AddPolicySources> loadPolicy(const Context& context, const SearchPolicy& policy)
{
    SPARSERL_TRY(const auto writer, writerOf(context, policy));
    SPARSERL_CHECK(checkShares(policy.shares, *writer));
    return
        [&context, writer, temperatures = policy.temperatures](Proposers& proposers, const Target& target) {
            addPolicySources(
                proposers, writer, target, temperatures, context.cancel,
                {[&context](double fraction) { context.progress(fraction, "the policy writes programs"); },
                 [&context](const Error& error) {
                     context.note("the policy proposes nothing more: " + error.sentence());
                 }});
        };
}

} // namespace

Body add_search(CLI::App& app, Context& context)
{
    return addSearch(app, context, loadPolicy);
}

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/rl_server.h"

#include "endpoint/endpoint_settings.h"
#include "project/run/metrics.h"
#include "training/parameters/parameter_keys.h"

#include <fmt/format.h>
#include <utility>

namespace sparserl {

bool usesServer(const ParameterSet& parameters)
{
    return parameters[param::rl::sampler] == "endpoint";
}

Status checkServerParameters(const StageContext& context)
{
    const ParameterSet& p = context.parameters();
    if (!usesServer(p))
        return {};
    if (p[param::rl::endpoint].empty())
        return fail("rl.sampler = endpoint needs the name of an endpoint",
                    "Set rl.endpoint to one of those that `sparserl endpoint list` shows");
    if (p[param::rl::topK] > 0 || p[param::rl::topP] < 1 || p[param::rl::broadShare] > 0)
        return fail("rl.sampler = endpoint draws from all tokens, and rl.top_k, rl.top_p or rl.broad_share "
                    "ask for something else",
                    "Set rl.top_k = 0, rl.top_p = 1 and rl.broad_share = 0");
    return {};
}

namespace {

/// Only its log-probabilities show which weights another maker's server has, so they must be comparable.
Status checkForeignServer(const ParameterSet& p)
{
    const double last = p[param::rl::temperatureEnd];
    if (p[param::rl::judgeAhead])
        return fail("with rl.judge_ahead, nothing shows whether the server has the weights of the policy",
                    "Use `sparserl serve`, or set rl.judge_ahead = false");
    if (p[param::rl::temperature] != 1 || (last != 0 && last != 1))
        return fail("the log-probabilities of the server may be those at the temperature 1",
                    "Use `sparserl serve`, or set rl.temperature = 1 and rl.temperature_end = 0");
    return {};
}

Result<std::unique_ptr<EndpointSampler>> samplerOf(StageContext& context, const std::string& frozen)
{
    const ParameterSet& p = context.parameters();
    SPARSERL_TRY(const auto settings, findEndpoint(p[param::rl::endpoint]));
    SPARSERL_TRY(auto client, EndpointClient::make(settings, context.laterWarnings()));
    SPARSERL_TRY(auto sampler,
                 EndpointSampler::make(std::make_shared<EndpointClient>(std::move(client)),
                                       context.run().path() / "sampler", frozen, context.cancel()));
    if (!sampler->isOurs()) {
        SPARSERL_CHECK(checkForeignServer(p));
    }
    return sampler;
}

} // namespace

Result<std::unique_ptr<EndpointSampler>> serverOf(StageContext& context, const std::string& frozen)
{
    if (!usesServer(context.parameters()))
        return nullptr;
    auto sampler =
        context.leads() ? samplerOf(context, frozen) : Result<std::unique_ptr<EndpointSampler>>(nullptr);
    SPARSERL_CHECK(ofLeader(context.processes(), sampler ? Status() : fail(sampler.error())));
    return sampler;
}

Status checkServer(const StageContext& context, std::int64_t iteration, const Metrics& metrics)
{
    const ParameterSet& parameters = context.parameters();
    const auto found = metrics.find(metric::logProbDifference.part("mean"));
    // Samples that are one update behind are corrected for it (rl.judge_ahead).
    if (!usesServer(parameters) || parameters[param::rl::judgeAhead] || found == metrics.end())
        return {};
    // Rounding may differ where machines do; what is decided may not.
    const double difference = gatherNumbers(context.processes(), {found->second})[0][0];
    if (difference <= parameters[param::rl::samplerMismatch])
        return {};
    return fail(fmt::format("in iteration {}, the log-probabilities of the server differ from those of the "
                            "policy by {:.2g} per token on average: it seems to have other weights",
                            iteration + 1, difference),
                "Serve the policy from which the run starts, in the precision of the run, or raise "
                "rl.sampler_mismatch");
}

} // namespace sparserl

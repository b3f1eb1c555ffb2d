// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/training/policy_options.h"
#include "app/training/policy_server.h"
#include "endpoint/endpoint_settings.h"
#include "training/work/find_policy.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <string>

namespace sparserl::cli {

namespace {

struct ServeArguments
{
    std::string policy, device = "auto", precision = "fp32", keyVariable;
    ServerOptions server;
};

int runServe(const Context& context, ServeArguments options)
{
    const bool local = options.server.host == "127.0.0.1" || options.server.host == "localhost" ||
                       options.server.host == "::1";
    if (!local && options.keyVariable.empty())
        return context.wrongUsage(
            {fmt::format("anybody who reaches {} could use the policy", options.server.host),
             {},
             0,
             "Give --key-variable, or serve on 127.0.0.1"});
    if (!options.keyVariable.empty()) {
        EndpointSettings named;
        named.name = "serve";
        named.keyVariable = options.keyVariable;
        const auto key = keyOf(named);
        if (!key)
            return context.error(key.error());
        options.server.key = *key;
    }
    const auto folder = findPolicy(options.policy);
    if (!folder)
        return context.error(folder.error());
    const auto policy = ServedPolicy::load(*folder, options.device, options.precision);
    if (!policy)
        return context.error(policy.error());
    if (options.server.model.empty())
        options.server.model = std::filesystem::path(options.policy).lexically_normal().filename().string();
    if (options.server.model.empty())
        options.server.model = "policy";
    const auto served = servePolicy(context, *policy, options.server);
    if (!served)
        return context.error(served.error());
    return context.cancel.cancelled() ? int(Interrupted) : int(Done);
}

} // namespace

Body add_serve(CLI::App& app, Context& context)
{
    auto options = std::make_shared<ServeArguments>();
    CLI::App* command = addTrainingCommand(app, "serve");
    addPolicy(*command, options->policy)->required();
    command
        ->add_option("--host", options->server.host,
                     "Address to listen on; others than this machine need a key")
        ->capture_default_str();
    command->add_option("--port", options->server.port, "Port; 0: any free one")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    command->add_option("--model", options->server.model,
                        "Name for clients (default: that of the policy's folder)");
    command->add_option("--key-variable", options->keyVariable,
                        "Environment variable with the key that requests must carry");
    addPolicyCompute(*command, options->device, options->precision);
    return [options, &context] { return runServe(context, *options); };
}

} // namespace sparserl::cli

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
    std::string policy, model, device = "auto", precision = "fp32", keyVariable;
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
    if (options.model.empty())
        options.model = std::filesystem::path(options.policy).lexically_normal().filename().string();
    if (options.model.empty())
        options.model = "policy";
    const auto policy = ServedPolicy::load(*folder, options.model, options.device, options.precision,
                                           !options.server.updates.empty());
    if (!policy)
        return context.error(policy.error());
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
    command->add_option("--model", options->model, "Name for clients (default: that of the policy's folder)");
    command->add_option("--key-variable", options->keyVariable,
                        "Environment variable with the key that requests must carry");
    command
        ->add_option("--updates", options->server.updates,
                     "Folder below which training (rl.sampler = endpoint) may name new weights to load")
        ->check(CLI::ExistingDirectory);
    command
        ->add_option("--client-seconds", options->server.limits.seconds,
                     "Seconds within which a client must send its next request, beyond the time that 32 KiB "
                     "per second need")
        ->check(CLI::Range(0.1, 3600.0))
        ->capture_default_str();
    addPolicyCompute(*command, options->device, options->precision);
    return [options, &context] { return runServe(context, *options); };
}

} // namespace sparserl::cli

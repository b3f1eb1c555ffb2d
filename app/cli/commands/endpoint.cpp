// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/endpoint_words.h"
#include "app/cli/number_checks.h"
#include "base/printable.h"
#include "base/shell.h"
#include "base/time.h"
#include "endpoint/capabilities.h"
#include "endpoint/endpoint_client.h"
#include "endpoint/endpoint_tests.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

std::string keyWords(const EndpointSettings& endpoint)
{
    if (!endpoint.keyVariable.empty())
        return "key in $" + endpoint.keyVariable;
    return endpoint.keyFile.empty() ? "no key" : "key in " + endpoint.keyFile;
}

/// "; tested 2026-01-31: chat, streaming"
std::string testWords(const EndpointTest& test)
{
    std::string able;
    for (const TestedCapability& one : test.tested)
        if (one.available)
            able += (able.empty() ? "" : ", ") + std::string(wordsOf(one.capability));
    constexpr std::size_t day = 10;
    return fmt::format("; tested {}: {}", isoTime(test.time).substr(0, day), able.empty() ? "nothing" : able);
}

int list(const Context& context)
{
    const auto endpoints = readEndpoints();
    if (!endpoints)
        return context.error(endpoints.error());
    for (const EndpointSettings& one : *endpoints) {
        nlohmann::json line{{"name", one.name},
                            {"url", one.url},
                            {"model", one.model},
                            {"key_variable", one.keyVariable},
                            {"key_file", one.keyFile},
                            {"requests_per_minute", one.requestsPerMinute},
                            {"most_tokens", one.mostTokens},
                            {"concurrent", one.concurrent}};
        const auto test = lastEndpointTest(one);
        if (test)
            line.update({{"tested", isoTime(test->time)}, {"capabilities", toJson(test->tested)}});
        context.emit(line);
        if (!context.json)
            context.print(printableLine(fmt::format("{}: {} at {} ({}{})", one.name, one.model, one.url,
                                                    keyWords(one), test ? testWords(*test) : "")));
    }
    if (endpoints->empty() && !context.json)
        context.print("There are no endpoints. `sparserl endpoint add` describes one.");
    return Done;
}

int add(const Context& context, const EndpointSettings& endpoint)
{
    if (const auto good = checkEndpoint(endpoint); !good)
        return context.wrongUsage(good.error());
    if (const auto added = addEndpoint(endpoint); !added)
        return context.error(added.error());
    context.emit({{"added", endpoint.name}, {"file", endpointsFile().string()}});
    if (!context.json)
        context.print("Added to " + endpointsFile().string() + ". " +
                      shellCommand("sparserl endpoint test {}", {endpoint.name}) + " asks its model.");
    return Done;
}

std::string modelWords(const EndpointProbe& probe)
{
    constexpr std::size_t most = 20;
    const auto& models = probe.models;
    if (models.empty() && !probe.tested.empty())
        return "Models: " + probe.tested.front().reason;
    std::string names;
    for (std::size_t i = 0; i < std::min(models.size(), most); ++i)
        names += (i > 0 ? ", " : "") + models[i];
    return fmt::format("The server offers {} models{}{}{}", models.size(), names.empty() ? "" : ": ", names,
                       models.size() > most ? ", ..." : "");
}

/// Tests what the server can do, and keeps what it finds.
int test(const Context& context, const std::string& name)
{
    const auto client = clientOf(context, name);
    if (!client)
        return context.error(client.error());
    const EndpointSettings& endpoint = (*client)->settings();
    const auto probe = probeEndpoint(**client, context.cancel);
    if (!probe)
        return context.failed(probe.error());
    // A test without an answer does not replace an earlier one.
    if (const auto kept =
            probe->problem ? Status() : keepEndpointTest(endpoint, {unixSeconds(), probe->tested});
        !kept)
        context.note(kept.error().sentence());
    nlohmann::json found{{"name", name},
                         {"model", endpoint.model},
                         {"offered", probe->has(EndpointCapability::Models)},
                         {"capabilities", toJson(probe->tested)}};
    if (!probe->models.empty())
        found["models"] = probe->models;
    if (probe->has(EndpointCapability::Chat)) {
        found["answer"] = probe->answer.substr(0, 1000);
        found["tokens"] = probe->tokens;
    }
    context.emit(found);
    if (!context.json)
        context.print(printableLine(modelWords(*probe)));
    if (probe->problem)
        return context.failed(*probe->problem);
    if (context.json)
        return Done;
    if (probe->has(EndpointCapability::Chat))
        context.print(printableLine(
            fmt::format("{} answers: {}", endpoint.model,
                        probe->answer.substr(0, std::min<std::size_t>(probe->answer.find('\n'), 200)))));
    for (const TestedCapability& one : probe->tested)
        context.print(printableLine(
            fmt::format("{:<20} {}{}", wordsOf(one.capability), one.available ? "yes" : "no: ", one.reason)));
    return Done;
}

} // namespace

Body add_endpoint(CLI::App& app, Context& context)
{
    CLI::App* command = app.add_subcommand(
        "endpoint", "Describe and test models on servers that speak OpenAI's HTTP interface.");
    command->require_subcommand(1);
    auto* listing = command->add_subcommand("list", "List the endpoints of this user.");
    auto* adding = command->add_subcommand("add", "Describe a new endpoint.");
    auto settings = std::make_shared<EndpointSettings>();
    adding->add_option("NAME", settings->name, "Name for commands")->required();
    adding->add_option("--url", settings->url, "Address up to the version, such as http://127.0.0.1:8000/v1")
        ->required();
    adding->add_option("--model", settings->model, "Model, as the server names it")->required();
    auto* variable = adding->add_option("--key-variable", settings->keyVariable,
                                        "Environment variable that holds the key; the key is never stored");
    adding->add_option("--key-file", settings->keyFile, "File with the key that only you may read")
        ->excludes(variable);
    adding->add_option("--requests-per-minute", settings->requestsPerMinute, "Limit on requests")
        ->check(positiveNumber())
        ->capture_default_str();
    adding
        ->add_option("--most-tokens", settings->mostTokens,
                     "Tokens, read and written, that one command may use")
        ->check(positiveNumber())
        ->capture_default_str();
    adding->add_option("--concurrent", settings->concurrent, "Requests at the same time")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    auto* testing =
        command->add_subcommand("test", "Test what the server of an endpoint can do, and keep the result.");
    auto name = std::make_shared<std::string>();
    testing->add_option("NAME", *name, "Endpoint")->required();
    return [&context, listing, adding, settings, name] {
        if (listing->parsed())
            return list(context);
        return adding->parsed() ? add(context, *settings) : test(context, *name);
    };
}

} // namespace sparserl::cli

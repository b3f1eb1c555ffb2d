// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/endpoint_words.h"
#include "app/cli/number_checks.h"
#include "base/printable.h"
#include "base/shell.h"
#include "endpoint/endpoint_client.h"

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

int list(const Context& context)
{
    const auto endpoints = readEndpoints();
    if (!endpoints)
        return context.error(endpoints.error());
    for (const EndpointSettings& one : *endpoints) {
        context.emit({{"name", one.name},
                      {"url", one.url},
                      {"model", one.model},
                      {"key_variable", one.keyVariable},
                      {"key_file", one.keyFile},
                      {"requests_per_minute", one.requestsPerMinute},
                      {"most_tokens", one.mostTokens},
                      {"concurrent", one.concurrent}});
        if (!context.json)
            context.print(
                printableLine(fmt::format("{}: {} at {} ({})", one.name, one.model, one.url, keyWords(one))));
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

/// Asks for the models, and the endpoint's for one word.
int test(const Context& context, const std::string& name)
{
    const auto client = clientOf(context, name);
    if (!client)
        return context.error(client.error());
    const EndpointSettings& endpoint = (*client)->settings();
    const auto models = (*client)->models(context.cancel);
    if (!models && context.cancel.cancelled())
        return Interrupted;
    const bool offered = models && std::find(models->begin(), models->end(), endpoint.model) != models->end();
    ChatRequest request;
    request.user = "Answer with the single word ready.";
    request.temperature = 0;
    request.maxTokens = 256; // models that think first need some
    const auto answer = (*client)->ask(request, context.cancel);
    nlohmann::json found{{"name", name}, {"model", endpoint.model}, {"offered", offered}};
    if (models)
        found["models"] = *models;
    if (answer) {
        found["answer"] = answer->text.substr(0, 1000);
        found["tokens"] = answer->promptTokens + answer->answerTokens;
    }
    context.emit(found);
    if (!context.json && models) {
        std::string names;
        for (std::size_t i = 0; i < std::min<std::size_t>(models->size(), 20); ++i)
            names += (i > 0 ? ", " : "") + (*models)[i];
        context.print(
            printableLine(fmt::format("The server offers {} models{}{}{}", models->size(),
                                      names.empty() ? "" : ": ", names, models->size() > 20 ? ", ..." : "")));
    } else if (!context.json) {
        context.print(printableLine("The server gives no list of models: " + models.error().what));
    }
    if (!answer)
        return context.failed(answer.error());
    if (!context.json)
        context.print(printableLine(
            fmt::format("{} answers: {}", endpoint.model,
                        answer->text.substr(0, std::min<std::size_t>(answer->text.find('\n'), 200)))));
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
    auto* testing = command->add_subcommand("test", "List the models of a server, and ask the endpoint's.");
    auto name = std::make_shared<std::string>();
    testing->add_option("NAME", *name, "Endpoint")->required();
    return [&context, listing, adding, settings, name] {
        if (listing->parsed())
            return list(context);
        return adding->parsed() ? add(context, *settings) : test(context, *name);
    };
}

} // namespace sparserl::cli

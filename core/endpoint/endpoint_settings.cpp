// SPDX-License-Identifier: Apache-2.0
#include "endpoint/endpoint_settings.h"

#include "base/beneath.h"
#include "base/format.h"
#include "base/settings_file.h"
#include "base/shell.h"
#include "base/toml.h"
#include "endpoint/http.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace sparserl {

namespace {

constexpr std::size_t mostEndpoints = 100, mostKeyBytes = 4096;

bool isName(const std::string& name)
{
    return !name.empty() && name.size() <= 100 && name.front() != '-' && name.front() != '.' &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-' || c == '_' || c == '.';
           });
}

bool isPlain(const std::string& text)
{
    return text.size() <= 1000 &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > ' ' && c != 0x7f; });
}

/// A key as it goes into a header: without the line break that a file ends with.
Result<std::string> checkedKey(std::string key, const std::string& source)
{
    while (!key.empty() && (key.back() == '\n' || key.back() == '\r' || key.back() == ' '))
        key.pop_back();
    if (key.empty() || key.size() > mostKeyBytes ||
        !std::all_of(key.begin(), key.end(), [](unsigned char c) { return c > ' ' && c < 0x7f; }))
        return fail(source + " holds no key", "A key is one word of printable characters");
    return key;
}

/// Fails for a file of another user: it decides which server gets a key.
Status checkOwner(const std::filesystem::path& file)
{
    struct stat info
    {
    };
    if (::stat(file.c_str(), &info) != 0 || info.st_uid == ::geteuid())
        return {};
    return failAt(file.string(), 0, "this file belongs to another user", "Move it away");
}

Result<EndpointSettings> endpointIn(const toml::table& entry, const std::string& file)
{
    static const std::set<std::string_view> known{"name",        "url",          "model",
                                                  "key_file",    "key_variable", "requests_per_minute",
                                                  "most_tokens", "concurrent"};
    for (const auto& [key, value] : entry)
        if (!known.contains(key.str()))
            return failAt(file, lineOf(value), fmt::format("an endpoint has no \"{}\"", key.str()),
                          "A key itself is never written here: name its variable or its file");
    EndpointSettings endpoint;
    const auto text = [&](const char* key, std::string& value) -> Status {
        const auto* node = entry.get(key);
        if (node != nullptr && !node->is_string())
            return failAt(file, lineOf(*node), fmt::format("{} must be a text", key));
        value = node != nullptr ? node->value_or(std::string()) : value;
        return {};
    };
    SPARSERL_CHECK(text("name", endpoint.name));
    SPARSERL_CHECK(text("url", endpoint.url));
    SPARSERL_CHECK(text("model", endpoint.model));
    SPARSERL_CHECK(text("key_variable", endpoint.keyVariable));
    SPARSERL_CHECK(text("key_file", endpoint.keyFile));
    const auto number = [&](const char* key, auto& value) -> Status {
        const auto* node = entry.get(key);
        if (node != nullptr && !node->is_number())
            return failAt(file, lineOf(*node), fmt::format("{} must be a number", key));
        value = node != nullptr ? node->value_or(value) : value;
        return {};
    };
    SPARSERL_CHECK(number("requests_per_minute", endpoint.requestsPerMinute));
    SPARSERL_CHECK(number("most_tokens", endpoint.mostTokens));
    SPARSERL_CHECK(number("concurrent", endpoint.concurrent));
    if (const auto good = checkEndpoint(endpoint); !good)
        return failAt(file, lineOf(entry), good.error().what, good.error().remedy);
    return endpoint;
}

} // namespace

Status checkEndpoint(const EndpointSettings& endpoint)
{
    if (!isName(endpoint.name))
        return fail("the name of an endpoint consists of letters, digits, \"-\", \"_\" and \".\"");
    SPARSERL_TRY(const HttpPlace place, httpPlace(endpoint.url));
    if (endpoint.model.empty() || !isPlain(endpoint.model))
        return fail("an endpoint needs the name of a model without spaces",
                    "`sparserl endpoint test` lists the models of a server");
    if (!endpoint.keyVariable.empty() && !endpoint.keyFile.empty())
        return fail("an endpoint has one key", "Give key_variable or key_file, not both");
    if (!isPlain(endpoint.keyVariable))
        return fail("key_variable is not the name of an environment variable");
    if (!endpoint.keyFile.empty() && !std::filesystem::path(endpoint.keyFile).is_absolute())
        return fail("key_file must be an absolute path");
    if (!place.encrypted && !place.loopback && (!endpoint.keyVariable.empty() || !endpoint.keyFile.empty()))
        return fail("the key would travel unencrypted to " + place.host, "Use https");
    if (!(endpoint.requestsPerMinute > 0 && endpoint.requestsPerMinute <= 1e6))
        return fail("requests_per_minute must be more than 0 and at most 1000000");
    if (endpoint.mostTokens < 1)
        return fail("most_tokens must be at least 1");
    if (endpoint.concurrent < 1 || endpoint.concurrent > 256)
        return fail("concurrent must be 1 to 256");
    return {};
}

std::filesystem::path endpointsFile()
{
    return userSettingsFolder() / "endpoints.toml";
}

Result<std::vector<EndpointSettings>> readEndpoints(const std::filesystem::path& file)
{
    SPARSERL_CHECK(checkOwner(file));
    SPARSERL_TRY(const std::string text, readSettings(file));
    SPARSERL_TRY(const auto table, parseToml(text, file.string()));
    std::vector<EndpointSettings> endpoints;
    for (const auto& [key, value] : table)
        if (key.str() != "endpoint" || !value.is_array_of_tables())
            return failAt(file.string(), lineOf(value),
                          fmt::format("\"{}\" is no list of endpoints", key.str()),
                          "Write each endpoint below a line [[endpoint]]");
    const toml::array* list = table["endpoint"].as_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        if (i == mostEndpoints)
            return failAt(file.string(), lineOf(*list->get(i)),
                          fmt::format("there are more than {} endpoints", mostEndpoints));
        SPARSERL_TRY(auto endpoint, endpointIn(*list->get(i)->as_table(), file.string()));
        for (const EndpointSettings& other : endpoints)
            if (other.name == endpoint.name)
                return failAt(file.string(), lineOf(*list->get(i)),
                              fmt::format("there are two endpoints \"{}\"", endpoint.name));
        endpoints.push_back(std::move(endpoint));
    }
    return endpoints;
}

Result<EndpointSettings> findEndpoint(const std::string& name, const std::filesystem::path& file)
{
    SPARSERL_TRY(const auto all, readEndpoints(file));
    std::vector<std::string> names;
    for (const EndpointSettings& one : all) {
        if (one.name == name)
            return one;
        names.push_back(one.name);
    }
    const std::string near = nearestWord(name, names);
    return fail(fmt::format("there is no endpoint \"{}\"", name),
                near.empty() ? "`sparserl endpoint add` describes one" : "Did you mean " + near + "?");
}

Status addEndpoint(const EndpointSettings& endpoint, const std::filesystem::path& file)
{
    SPARSERL_CHECK(checkEndpoint(endpoint));
    return changeSettings(file, [&](const std::string& before) -> Result<std::string> {
        SPARSERL_TRY(const auto table, parseToml(before, file.string()));
        const toml::array* list = table["endpoint"].as_array();
        for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
            if (const auto* entry = list->get(i)->as_table();
                entry != nullptr && (*entry)["name"].value_or(std::string()) == endpoint.name)
                return failAt(file.string(), lineOf(*entry),
                              fmt::format("there is an endpoint \"{}\" already", endpoint.name),
                              "Choose another name, or edit this file");
        toml::table entry{{"name", endpoint.name}, {"url", endpoint.url}, {"model", endpoint.model}};
        const EndpointSettings usual;
        if (!endpoint.keyVariable.empty())
            entry.insert("key_variable", endpoint.keyVariable);
        if (!endpoint.keyFile.empty())
            entry.insert("key_file", endpoint.keyFile);
        if (endpoint.requestsPerMinute != usual.requestsPerMinute)
            entry.insert("requests_per_minute", endpoint.requestsPerMinute);
        if (endpoint.mostTokens != usual.mostTokens)
            entry.insert("most_tokens", endpoint.mostTokens);
        if (endpoint.concurrent != usual.concurrent)
            entry.insert("concurrent", endpoint.concurrent);
        const std::string gap = before.empty() || before.ends_with('\n') ? "" : "\n";
        return before + gap + formatToml(toml::table{{"endpoint", toml::array{entry}}});
    });
}

Result<std::string> keyOf(const EndpointSettings& endpoint)
{
    if (!endpoint.keyVariable.empty()) {
        const char* key = std::getenv(endpoint.keyVariable.c_str());
        if (key == nullptr || *key == '\0')
            return fail(fmt::format("the key of the endpoint \"{}\" is not there", endpoint.name),
                        fmt::format("Set the environment variable {}", endpoint.keyVariable));
        return checkedKey(key, endpoint.keyVariable);
    }
    if (endpoint.keyFile.empty())
        return std::string();
    SPARSERL_TRY(const auto file, openFile(endpoint.keyFile, O_RDONLY, "read the key"));
    struct stat info
    {
    };
    if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
        info.st_size > static_cast<off_t>(mostKeyBytes))
        return failAt(endpoint.keyFile, 0, "this is no file with a key");
    if ((info.st_mode & 077) != 0)
        return failAt(endpoint.keyFile, 0, "other users may read this key",
                      shellCommand("chmod 600 {}", {endpoint.keyFile}));
    std::string key(mostKeyBytes, '\0');
    const ssize_t got = ::read(file.get(), key.data(), key.size());
    if (got < 0)
        return failAt(endpoint.keyFile, 0, "cannot read the key");
    key.resize(static_cast<std::size_t>(got));
    return checkedKey(std::move(key), endpoint.keyFile);
}

} // namespace sparserl

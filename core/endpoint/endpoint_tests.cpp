// SPDX-License-Identifier: Apache-2.0
#include "endpoint/endpoint_tests.h"

#include "base/json.h"
#include "base/settings_file.h"

#include <nlohmann/json.hpp>

namespace sparserl {

namespace {

using nlohmann::json;

constexpr std::size_t mostTests = 200; ///< More than there may be endpoints.

/// The tests in a file by name; none if it is not what this program writes.
json testsIn(const std::string& text)
{
    const auto value = parseJson(text);
    return value && value->is_object() && value->size() <= mostTests ? *value : json::object();
}

} // namespace

std::filesystem::path endpointTestsFile()
{
    return userSettingsFolder() / "endpoint_tests.json";
}

Status keepEndpointTest(const EndpointSettings& endpoint, const EndpointTest& test,
                        const std::filesystem::path& file)
{
    return changeSettings(file, [&](const std::string& before) -> Result<std::string> {
        json tests = testsIn(before);
        if (tests.size() >= mostTests)
            tests = json::object();
        tests[endpoint.name] = {{"url", endpoint.url},
                                {"model", endpoint.model},
                                {"time", test.time},
                                {"tested", toJson(test.tested)}};
        return dumpJsonPretty(tests);
    });
}

std::optional<EndpointTest> lastEndpointTest(const EndpointSettings& endpoint,
                                             const std::filesystem::path& file)
{
    const auto text = readSettings(file);
    const json tests = text ? testsIn(*text) : json::object();
    const auto found = tests.find(endpoint.name);
    if (found == tests.end() || jsonValue(*found, "url", std::string()) != endpoint.url ||
        jsonValue(*found, "model", std::string()) != endpoint.model || !found->contains("tested"))
        return std::nullopt;
    const double time = jsonValue(*found, "time", 0.0);
    constexpr double year5000 = 95617584000;
    if (!(time >= 0 && time < year5000))
        return std::nullopt;
    return EndpointTest{time, testedCapabilitiesFromJson((*found)["tested"])};
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "endpoint/capabilities.h"
#include "endpoint/endpoint_settings.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// The last test of an endpoint.
struct EndpointTest
{
    double time = 0; ///< Seconds since 1970 (UTC).
    std::vector<TestedCapability> tested;
};

/// The file with the last test of each endpoint, next to the file of endpoints: endpoint_tests.json.
std::filesystem::path endpointTestsFile();
/// Keeps a test with the endpoint's name, address and model. Replaces an earlier test of this name.
Status keepEndpointTest(const EndpointSettings& endpoint, const EndpointTest& test,
                        const std::filesystem::path& file = endpointTestsFile());
/// Returns the last test of an endpoint. Returns nullopt if there is none, if the endpoint now has another
/// address or model, and if the file cannot be read, because a test can be repeated.
std::optional<EndpointTest> lastEndpointTest(const EndpointSettings& endpoint,
                                             const std::filesystem::path& file = endpointTestsFile());

} // namespace sparserl

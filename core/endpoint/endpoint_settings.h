// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// A model behind a server, as the user of this machine described it. No project names a server or a key.
struct EndpointSettings
{
    std::string name;        ///< Letters, digits, '-', '_' and '.'.
    std::string url;         ///< Up to the version: "https://api.example.com/v1".
    std::string model;       ///< As the server names it.
    std::string keyVariable; ///< Environment variable that holds the key; empty: none.
    std::string keyFile;     ///< File with the key, readable by this user only; empty: none.
    double requestsPerMinute = 60;
    std::int64_t mostTokens = 2'000'000; ///< Tokens, read and written, that one command may use.
    int concurrent = 4;                  ///< Requests at the same time.

    bool operator==(const EndpointSettings&) const = default;
};

/// Whether a description can be used. A key is never sent without encryption to another machine.
Status checkEndpoint(const EndpointSettings& endpoint);

/// The user's endpoints: $XDG_CONFIG_HOME/sparserl/endpoints.toml, or below ~/.config.
std::filesystem::path endpointsFile();
/// All endpoints of the file in order. Fails with the line of the first faulty one, and for a name given
/// twice.
Result<std::vector<EndpointSettings>> readEndpoints(const std::filesystem::path& file = endpointsFile());
Result<EndpointSettings> findEndpoint(const std::string& name,
                                      const std::filesystem::path& file = endpointsFile());
/// Appends an endpoint, or replaces nothing and fails if its name is taken.
Status addEndpoint(const EndpointSettings& endpoint, const std::filesystem::path& file = endpointsFile());

/// The key; empty if the endpoint has none. Fails if the variable is not set, or if others may read the file.
Result<std::string> keyOf(const EndpointSettings& endpoint);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// A model on a server, as described by the user of this machine. No project names a server or a key.
struct EndpointSettings
{
    std::string name;        ///< Letters, digits, '-', '_' and '.'.
    std::string url;         ///< The URL up to the version: "https://api.example.com/v1".
    std::string model;       ///< The server's name for the model.
    std::string keyVariable; ///< The environment variable that holds the key, or empty.
    std::string keyFile;     ///< A file with the key that only this user can read, or empty.
    double requestsPerMinute = 60;
    std::int64_t mostTokens = 2'000'000; ///< The limit of tokens, read and written, for one command.
    int concurrent = 4;                  ///< The number of simultaneous requests.

    bool operator==(const EndpointSettings&) const = default;
};

/// Checks that a description can be used. A key is never sent without encryption to another machine.
Status checkEndpoint(const EndpointSettings& endpoint);

/// The file of the user's endpoints: sparserl/endpoints.toml in $XDG_CONFIG_HOME or ~/.config.
std::filesystem::path endpointsFile();
/// Reads all endpoints of the file, in order. Fails if two endpoints have the same name, or if an endpoint is
/// invalid; the Error then names the line.
Result<std::vector<EndpointSettings>> readEndpoints(const std::filesystem::path& file = endpointsFile());
Result<EndpointSettings> findEndpoint(const std::string& name,
                                      const std::filesystem::path& file = endpointsFile());
/// Appends an endpoint. Fails if its name is taken.
Status addEndpoint(const EndpointSettings& endpoint, const std::filesystem::path& file = endpointsFile());

/// Reads the key; empty if the endpoint has none. Fails if the variable is not set, or if other users may
/// read the file.
Result<std::string> keyOf(const EndpointSettings& endpoint);

} // namespace sparserl

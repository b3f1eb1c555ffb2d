// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "endpoint/endpoint_client.h"

#include <QtGlobal>
#include <string>
#include <utility>

namespace sparserl::tests {

/// An endpoint of a server at `url`, without a limit that tests would meet.
inline EndpointSettings settingsOf(const std::string& url)
{
    EndpointSettings settings;
    settings.name = "test";
    settings.url = url;
    settings.model = "m";
    settings.requestsPerMinute = 1e6;
    return settings;
}

/// Its client, which does not pause before it asks again.
inline EndpointClient clientOf(const EndpointSettings& settings)
{
    auto client = EndpointClient::make(settings);
    if (!client)
        qFatal("%s", client.error().sentence().c_str());
    client->setPause(0.001);
    return std::move(*client);
}

} // namespace sparserl::tests

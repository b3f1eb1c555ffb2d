// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace sparserl {

/// The host that a URL leads to.
struct HttpPlace
{
    std::string host;
    bool encrypted = false; ///< The scheme is https.
    bool loopback = false;  ///< The host is this machine: 127.x.x.x, ::1 or localhost.
};
/// Parses a URL. Fails if its scheme is not http or https, or if it contains a user name, a password, a query
/// or a fragment.
Result<HttpPlace> httpPlace(const std::string& url);

struct HttpRequest
{
    std::string url;
    std::string body; ///< JSON, sent with POST; empty: the request is a GET.
    std::string key;  ///< Sent as "Authorization: Bearer KEY" unless it is empty. Never appears in an Error.
    std::size_t mostBytes = std::size_t(16) << 20; ///< The limit for the answer.
    int stallSeconds = 300;                        ///< The exchange fails after this time without a byte.
    int totalSeconds = 3600; ///< The exchange fails after this time even if bytes still arrive.
};

struct HttpAnswer
{
    int status = 0;   ///< 200, 429, ...
    std::string type; ///< The content type without parameters, in lower case.
    std::string body;
    std::optional<double> retryAfter; ///< Seconds to wait before another attempt, if the server names them.
};

/// Sends a request and receives the answer. Follows no redirect, so a key reaches only the host of its URL.
/// Uses the proxies that the environment names, except for this machine. Fails if no complete answer arrives,
/// with interruption() if `cancel` was set. Sets `connected` to whether the server could be reached.
Result<HttpAnswer> exchange(const HttpRequest& request, const CancelToken& cancel, bool* connected = nullptr);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace sparserl {

/// Where a URL leads.
struct HttpPlace
{
    std::string host;
    bool encrypted = false; ///< https
    bool loopback = false;  ///< This machine: 127.x.x.x, ::1 or localhost.
};
/// Fails for a URL that is not http or https, or that holds a user name, a password, a query or a fragment.
Result<HttpPlace> httpPlace(const std::string& url);

struct HttpRequest
{
    std::string url;
    std::string body; ///< JSON, sent by POST; empty: GET.
    std::string key;  ///< Sent as "Authorization: Bearer KEY"; empty: none. Never appears in an Error.
    std::size_t mostBytes = std::size_t(16) << 20; ///< Of the answer.
    int stallSeconds = 300;                        ///< Without a byte, after which the server counts as gone.
    int totalSeconds = 3600;                       ///< Also for a server that sends a byte now and then.
};

struct HttpAnswer
{
    int status = 0;   ///< 200, 429, ...
    std::string type; ///< Content type without parameters, in lower case.
    std::string body;
    std::optional<double> retryAfter; ///< Seconds, if the server names them.
};

/// One exchange with a server. Follows no redirect, so a key reaches only the host of its URL. Uses the
/// proxies of the environment, except for this machine. An Error means that no complete answer came;
/// interruption() after `cancel`. `connected`: whether the server was there at all.
Result<HttpAnswer> exchange(const HttpRequest& request, const CancelToken& cancel, bool* connected = nullptr);

} // namespace sparserl

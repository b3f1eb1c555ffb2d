// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "app/training/client_stream.h"
#include "training/sampling/served_policy.h"

#include <filesystem>
#include <string>

namespace sparserl::cli {

struct ServerOptions
{
    std::string host = "127.0.0.1";
    int port = 8000;               ///< 0: any free one.
    std::string key;               ///< Requests must carry it; empty: none needed.
    std::filesystem::path updates; ///< Folder below which clients may name new weights; empty: none.
    ClientLimits limits;
};

/// Answers requests (docs/endpoints.md) until the context is cancelled. Says the address once requests are
/// accepted. Fails if the address cannot be had.
Status servePolicy(const Context& context, const ServedPolicy& policy, const ServerOptions& options);

} // namespace sparserl::cli

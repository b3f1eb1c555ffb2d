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
    int port = 8000;               ///< 0: any free port.
    std::string key;               ///< The key that requests must contain; empty: none.
    std::filesystem::path updates; ///< Folder below which clients may name new weights; empty: none.
    ClientLimits limits;
};

/// Answers requests (docs/endpoints.md) until the context is cancelled. Prints the address once requests are
/// accepted. Fails if the address cannot be bound.
Status servePolicy(const Context& context, const ServedPolicy& policy, const ServerOptions& options);

} // namespace sparserl::cli

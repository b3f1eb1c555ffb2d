// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <memory>
#include <string>

namespace sparserl {
class EndpointClient;
}

namespace sparserl::cli {

class Context;

/// Returns the client of the user's endpoint with this name. The client prints a note on stderr when it tries
/// again.
Result<std::shared_ptr<EndpointClient>> clientOf(const Context& context, const std::string& name);

} // namespace sparserl::cli

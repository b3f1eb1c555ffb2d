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

/// The client of an endpoint of the user by name. It says on stderr when it tries again.
Result<std::shared_ptr<EndpointClient>> clientOf(const Context& context, const std::string& name);

} // namespace sparserl::cli

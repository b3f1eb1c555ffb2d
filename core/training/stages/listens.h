// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparserl {

/// Returns whether a host accepts connections on a port. Waits for one second at most.
bool listens(const std::string& address, int port);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparserl {

/// Whether a host currently accepts connections on a port. Waits at most a second.
bool listens(const std::string& address, int port);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparserl {

/// Whether somebody takes connections at a port of a host now; asked for a second.
bool listens(const std::string& address, int port);

} // namespace sparserl

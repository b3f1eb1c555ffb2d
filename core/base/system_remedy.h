// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparserl {

/// What a user can do about an errno of a file operation; empty where there is nothing to say.
std::string systemRemedy(int error);

} // namespace sparserl

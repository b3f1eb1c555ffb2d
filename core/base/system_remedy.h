// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparserl {

/// What an errno of a file operation means, in words that follow a colon.
std::string systemReason(int error);
/// What a user can do about it; empty where there is nothing to say.
std::string systemRemedy(int error);

} // namespace sparserl

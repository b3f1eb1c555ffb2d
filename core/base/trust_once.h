// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <functional>

namespace sparserl {

/// Trusts a project after `prepare` succeeds. Until then the project is untrusted for everyone else, even if
/// this process is killed. Only `prepare` may write into the project before that, in the thread that runs it.
Status trustProjectOnce(const std::filesystem::path& project, const std::function<Status()>& prepare);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <functional>

namespace sparserl {

/// Trusts a project once `prepare` has gone well. Until then nobody else takes it for trusted, however this
/// process ends; only `prepare` itself, in its thread, may write there.
Status trustProjectOnce(const std::filesystem::path& project, const std::function<Status()>& prepare);

} // namespace sparserl

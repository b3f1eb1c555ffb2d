// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>

namespace sparserl {

/// The folder of the quickstart project that comes with this program: installed, or in the sources beside the
/// build. Empty if there is none.
std::filesystem::path quickstartFolder();
/// Copies the configuration and the matrices of the quickstart project to a folder that must not exist yet,
/// and trusts the copy.
Status copyQuickstart(const std::filesystem::path& to);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>

namespace sparserl {

/// The quickstart project that came with this program: installed, or in the sources beside the build. Empty
/// where there is none.
std::filesystem::path quickstartFolder();
/// Copies it to a folder that does not exist yet, without what was made there.
Status copyQuickstart(const std::filesystem::path& to);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The display name of a kernel family (docs/kernels.md): "ELL" for "S10"; empty for an unknown id. The
/// families themselves are in core/corpus, which lists and windows do not need.
std::string_view familyName(std::string_view id);

/// "S10 · ELL", or only the id if it has no name.
std::string familyTitle(const std::string& id);

/// Ids of the families whose name or id contains a text, ignoring case; none for an empty text.
std::vector<std::string> familiesNamed(std::string_view text);

} // namespace sparserl

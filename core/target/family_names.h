// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Returns the display name of a kernel family (docs/kernels.md): "ELL" for "S10". Returns an empty text for
/// an unknown id. The families themselves are in core/corpus, which lists and windows do not need.
std::string_view familyName(std::string_view id);

/// Returns "S10 · ELL", or only the id if the family has no name.
std::string familyTitle(const std::string& id);

/// Returns the ids of the families whose name or id contains a text, ignoring case. For an empty text,
/// returns none.
std::vector<std::string> familiesNamed(std::string_view text);

} // namespace sparserl

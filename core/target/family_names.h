// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// What people call a kernel family (docs/kernels.md): "ELL" for "S10"; empty for an id that is not known.
/// The families themselves are in core/corpus, which lists and windows do without.
std::string_view familyName(std::string_view id);

/// "S10 · ELL", or the id alone where it has no name.
std::string familyTitle(const std::string& id);

/// Ids of the families whose name or id contains a text, whatever its case; none for an empty text.
std::vector<std::string> familiesNamed(std::string_view text);

} // namespace sparserl

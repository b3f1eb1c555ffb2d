// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string_view>

namespace sparserl {

/// Checks that a text is an SPDX licence expression (SPDX 2.3, annex D): identifiers of the SPDX list or
/// names such as LicenseRef-Ours, joined by AND, OR, WITH and brackets. The Error names the unknown
/// identifier and the nearest known identifier.
Status checkLicence(std::string_view expression);

} // namespace sparserl

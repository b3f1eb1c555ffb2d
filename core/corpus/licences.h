// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparserl {

/// Returns the licence that the head of a source states: its SPDX tags (joined by AND) or else the licence
/// whose words it contains. "NOASSERTION" means that the head forbids copying. Empty if the head states no
/// licence.
std::string statedLicence(std::string_view source);

/// Identifies the text of a licence by words that only this licence contains. Returns its SPDX identifier, or
/// an empty text if the licence is unknown.
std::string identifyLicence(std::string_view text);

/// True for LICENSE, COPYING, LICENCE.txt and similar names.
bool isLicenceFile(std::string_view fileName);

} // namespace sparserl

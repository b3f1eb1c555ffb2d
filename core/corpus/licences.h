// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparserl {

/// The licence that the head of a source states: its SPDX tags (joined by AND), else the one whose words it
/// has; "NOASSERTION" where it forbids copying; empty where it says nothing.
std::string statedLicence(std::string_view source);

/// The SPDX identifier of a licence's text by words that only it has; empty where it is none that is known.
std::string identifyLicence(std::string_view text);

/// True for LICENSE, COPYING, LICENCE.txt and similar names.
bool isLicenceFile(std::string_view fileName);

} // namespace sparserl

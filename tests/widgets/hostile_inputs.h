// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <string>
#include <utility>
#include <vector>

namespace sparserl::test {

/// What people may type, paste or be sent, each with a name: what the window must show as text, and what no
/// name of a file or a thing can be.
std::vector<std::pair<std::string, QString>> hostileInputs();

} // namespace sparserl::test

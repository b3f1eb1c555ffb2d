// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>

namespace sparserl {

/// Returns how well `text` matches the typed words; higher is better. The words may be in any order. The
/// letters of a word may have gaps, which lowers the score. Ignores case. Returns nullopt if a letter is
/// missing.
std::optional<int> fuzzyScore(const QString& typed, const QString& text);

} // namespace sparserl

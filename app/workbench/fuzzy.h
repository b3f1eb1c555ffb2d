// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>

namespace sparserl {

/// How well `text` matches the typed words in any order, each as contiguous letters or, with a lower score,
/// with gaps; ignores case. nullopt if a letter is missing. Higher is better.
std::optional<int> fuzzyScore(const QString& typed, const QString& text);

} // namespace sparserl

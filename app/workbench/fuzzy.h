// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>

namespace sparserl {

/// How well `text` answers what was typed: its words in any order, each as letters in a row or, worse, with
/// others between them; upper and lower case are one. Nothing where a letter is missing. Higher is better.
std::optional<int> fuzzyScore(const QString& typed, const QString& text);

} // namespace sparserl

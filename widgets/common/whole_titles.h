// SPDX-License-Identifier: Apache-2.0
#pragma once

class QHeaderView;

namespace sparserl {

/// Titles of columns that are as wide as their contents are whole, also with larger text: what Qt gives a
/// title that is wider than its contents ends within its first letter.
void keepTitlesWhole(QHeaderView* header);

} // namespace sparserl

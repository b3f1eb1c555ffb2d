// SPDX-License-Identifier: Apache-2.0
#pragma once

class QHeaderView;

namespace sparserl {

/// Keeps column titles whole in columns as wide as their contents, even with larger text. Without it, Qt cuts
/// a title that is wider than its contents within its first letter.
void keepTitlesWhole(QHeaderView* header);

} // namespace sparserl

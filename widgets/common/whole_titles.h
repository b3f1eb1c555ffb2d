// SPDX-License-Identifier: Apache-2.0
#pragma once

class QHeaderView;

namespace sparserl {

/// Shows column titles completely if they fit, even with larger text. Qt's size for a title wider than its
/// contents can be too small by part of a letter.
void keepTitlesWhole(QHeaderView* header);

} // namespace sparserl

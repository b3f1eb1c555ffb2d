// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>

class QWidget;

namespace sparserl {

/// Makes Tab visit widgets in this order. A widget that takes no focus itself stands for the widgets in it,
/// in the order in which they were created.
void setTabOrderOf(const QList<QWidget*>& widgets);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QProgressBar>

namespace sparserl {

/// Creates a thin bar for work whose end is not known. It is hidden until the work begins.
inline QProgressBar* makeBusyBar(QWidget* parent)
{
    auto* bar = new QProgressBar(parent);
    bar->setRange(0, 0);
    bar->setTextVisible(false);
    bar->setFixedHeight(6);
    bar->hide();
    return bar;
}

} // namespace sparserl

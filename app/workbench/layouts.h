// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QVariantMap>
#include <vector>

class QMainWindow;

namespace sparserl {

class Page;

/// How the window is arranged: the list of tasks, splitters, the tab in front of each group, the page in
/// front
/// (`page`), and what each page says of its columns and charts.
QVariantMap captureLayout(const QMainWindow& window, const std::vector<Page*>& pages, const QString& page);

/// Arranges the window so; what the map does not know stays as it is. `pagesToo`: columns and charts as well.
/// Gives the page that was in front, or nothing.
QString applyLayout(QMainWindow& window, const std::vector<Page*>& pages, const QVariantMap& layout,
                    bool pagesToo);

} // namespace sparserl

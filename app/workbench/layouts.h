// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QVariantMap>
#include <vector>

class QMainWindow;

namespace sparserl {

class Page;

/// Returns the arrangement of the window: the list of tasks, splitters, the front tab of each group, the
/// front page (`page`), and each page's columns and charts.
QVariantMap captureLayout(const QMainWindow& window, const std::vector<Page*>& pages, const QString& page);

/// Applies an arrangement. Parts that are missing from the map stay unchanged. `pagesToo`: also applies
/// columns and charts. Returns the saved front page, or an empty text.
QString applyLayout(QMainWindow& window, const std::vector<Page*>& pages, const QVariantMap& layout,
                    bool pagesToo);

} // namespace sparserl

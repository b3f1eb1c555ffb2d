// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/new_file.h"

#include "base/beneath.h"
#include "widgets/common/format.h"

#include <QVariant>
#include <QWidget>

namespace sparserl {

namespace {

constexpr const char* folderProperty = "sparserlExportsFolder";

/// The folder that was set for the widget or for one that it belongs to; empty: for none.
QString folderFor(const QWidget* widget)
{
    for (; widget; widget = widget->parentWidget())
        if (const QVariant folder = widget->property(folderProperty); folder.isValid())
            return folder.toString();
    return {};
}

} // namespace

void setExportsFolder(QWidget* window, const QString& chosen, const std::filesystem::path& project)
{
    window->setProperty(folderProperty,
                        chosen.isEmpty() ? toQString((project / "exports").string()) : chosen);
}

QString chooseNewFile(QWidget* parent, const QString& title, const QString& name, const QString& filter,
                      QFileDialog::Options options)
{
    std::filesystem::path folder = folderFor(parent).toStdString();
    // The first export makes the folder; a dialog begins in one that is there.
    if (!folder.empty() && !glance(folder).folder)
        folder = folder.parent_path();
    const QString suggested = folder.empty() ? name : toQString((folder / name.toStdString()).string());
    return QFileDialog::getSaveFileName(parent, title, suggested, filter, nullptr, options);
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/new_file.h"

#include "base/beneath.h"
#include "widgets/common/format.h"

#include <QVariant>
#include <QWidget>
#include <string>

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

/// The name, or the first of "name-2", "name-3" that is not in the folder: a dialog would ask whether to
/// replace a file, and go into a folder.
std::filesystem::path newName(const std::filesystem::path& folder, const std::filesystem::path& name)
{
    std::filesystem::path free = name;
    for (int number = 2; glance(folder / free).exists && number < 1000; ++number)
        free = name.stem().string() + "-" + std::to_string(number) + name.extension().string();
    return free;
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
    const QString suggested =
        folder.empty() ? name : toQString((folder / newName(folder, name.toStdString())).string());
    return QFileDialog::getSaveFileName(parent, title, suggested, filter, nullptr, options);
}

} // namespace sparserl

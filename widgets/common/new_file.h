// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFileDialog>
#include <QString>
#include <filesystem>

class QWidget;

namespace sparserl {

/// Sets where chooseNewFile() begins for `window` and all widgets and dialogs in it: `chosen` if it is not
/// empty, else the folder for exports of the project, else the project itself.
void setExportsFolder(QWidget* window, const QString& chosen, const std::filesystem::path& project);

/// Asks the user where to write a new file, or with QFileDialog::ShowDirsOnly a new folder. Suggests `name`
/// in the folder for exports. Returns an empty text if the user cancels.
QString chooseNewFile(QWidget* parent, const QString& title, const QString& name, const QString& filter,
                      QFileDialog::Options options = {});

} // namespace sparserl

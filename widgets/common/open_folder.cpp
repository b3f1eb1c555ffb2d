// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/open_folder.h"

#include "widgets/common/format.h"
#include "widgets/common/translate.h"

#include <QClipboard>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QUrl>

namespace sparserl {

QString openFolder(const std::filesystem::path& folder)
{
    const QString path = toQString(folder.string());
    if (QDesktopServices::openUrl(QUrl::fromLocalFile(path)))
        return {};
    QGuiApplication::clipboard()->setText(path);
    return tr("No file manager could be started. The path of the folder is on the clipboard: %1").arg(path);
}

} // namespace sparserl

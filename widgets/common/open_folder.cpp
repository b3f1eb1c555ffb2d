// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/open_folder.h"

#include "widgets/common/format.h"
#include "widgets/common/translate.h"

#include <QClipboard>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QProcess>
#include <QStandardPaths>
#include <QUrl>

namespace sparserl {

// Qt starts xdg-open and does not wait for what it says, so that a desktop without a file manager would do
// nothing at all. Where the desktop cannot be asked, it is tried.
bool hasFileManager()
{
    const QString program = QStandardPaths::findExecutable(QStringLiteral("xdg-mime"));
    if (program.isEmpty() || qEnvironmentVariableIsSet("FLATPAK_ID") || qEnvironmentVariableIsSet("SNAP"))
        return true;
    QProcess process;
    process.start(program,
                  {QStringLiteral("query"), QStringLiteral("default"), QStringLiteral("inode/directory")});
    constexpr int patience = 2000; // milliseconds
    if (!process.waitForFinished(patience)) {
        process.kill();
        process.waitForFinished(patience);
        return true;
    }
    return process.exitCode() != 0 || !process.readAllStandardOutput().trimmed().isEmpty();
}

QString openFolder(const std::filesystem::path& folder)
{
    const QString path = toQString(folder.string());
    if (hasFileManager() && QDesktopServices::openUrl(QUrl::fromLocalFile(path)))
        return {};
    QGuiApplication::clipboard()->setText(path);
    return tr("No file manager could be started. The path of the folder is on the clipboard: %1").arg(path);
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/typed_path.h"

#include "base/beneath.h"
#include "base/file_kind.h"
#include "base/files.h"

#include <QDir>
#include <climits>

namespace sparserl {

namespace fs = std::filesystem;

Result<fs::path> typedPath(const QString& text)
{
    if (text.trimmed().isEmpty())
        return fail("The field for the path is empty", "Choose a folder");
    if (text.contains(QChar(QChar::Null)))
        return fail("The path has a NUL character in it, which no name can have", "Choose a folder");
    QString whole = text;
    if (text == QLatin1String("~") || text.startsWith(QLatin1String("~/")))
        whole = QDir::homePath() + text.mid(1);
    if (!whole.startsWith(QLatin1Char('/')))
        return fail("The path is not absolute", "Begin it with / or with ~/");
    const QByteArray bytes = whole.toUtf8();
    if (bytes.size() >= PATH_MAX)
        return fail("The path is too long", "Choose a folder with a shorter path");
    return fs::path(bytes.toStdString());
}

Status saveFile(const QString& file, const QByteArray& bytes)
{
    SPARSERL_TRY(const fs::path path, typedPath(file));
    const fs::path folder = path.parent_path();
    if (!glance(folder).folder)
        return failAt(path.string(), 0, "There is no such folder to save it in", "Choose another place");
    return writeFileAtomic(behindLink(path), {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

} // namespace sparserl

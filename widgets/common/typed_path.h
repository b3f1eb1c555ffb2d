// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <QByteArray>
#include <QString>
#include <filesystem>

// Paths that the user types or chooses in a dialog.
namespace sparserl {

/// The path that a field holds: a whole one, or one that begins with "~/". Anything else would lead to where
/// the program happened to be started, or to another place than the text says.
Result<std::filesystem::path> typedPath(const QString& text);

/// Writes a file that the user chose. Fails for a folder, a pipe, a device, a place in a project that is not
/// trusted, and in a folder that is not there. Through a link, it is the file behind it that is replaced.
Status saveFile(const QString& file, const QByteArray& bytes);

} // namespace sparserl

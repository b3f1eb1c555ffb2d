// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <QByteArray>
#include <QString>
#include <filesystem>

// Paths that the user types or selects in a dialog.
namespace sparserl {

/// The path in a field, which must be absolute or begin with "~/". Any other path would depend on the
/// program's working directory.
Result<std::filesystem::path> typedPath(const QString& text);

/// Writes a file that the user selected. Fails for a folder, a pipe, a device, a place in an untrusted
/// project, and a missing folder. If `file` is a link, the target of the link is replaced.
Status saveFile(const QString& file, const QByteArray& bytes);

} // namespace sparserl

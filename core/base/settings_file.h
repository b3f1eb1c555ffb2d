// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Settings of the user that programs change: trusted projects, allowed links, confirmed hosts. An unreadable
// file is never overwritten, and entries that a program does not understand are preserved.
namespace sparserl {

/// The folder of the command line's user settings: $XDG_CONFIG_HOME/sparserl, or ~/.config/sparserl.
std::filesystem::path userSettingsFolder();
/// Whether `path` is userSettingsFolder() or lies below it. Nobody else may read or change these files,
/// whatever the umask.
bool isPrivatePlace(const std::filesystem::path& path);
/// Restricts an open file or folder of the settings to this user if others may read or change it (an older
/// version or another program may have created it). Does not change files of another user.
void makePrivate(int descriptor);
/// Makes a file that another library writes, and its folders, private. Creates them if they are missing.
Status preparePrivateFile(const std::filesystem::path& file);

/// The text of a settings file; empty if the file does not exist. An Error says why it cannot be read.
Result<std::string> readSettings(const std::filesystem::path& file);

/// Replaces a settings file under a lock (FILE.lock): `change` turns the current text into the new text. If
/// the file cannot be read or `change` fails, the file stays unchanged.
Status changeSettings(const std::filesystem::path& file,
                      const std::function<Result<std::string>(const std::string&)>& change);

/// The lines of a text, without line breaks.
std::vector<std::string_view> linesOf(std::string_view text);

} // namespace sparserl

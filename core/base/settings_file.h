// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// The user's settings that programs change: trusted projects, allowed links, confirmed hosts. What cannot be
// read now is never written over, and what a program does not understand stays as it is.
namespace sparserl {

/// Where this user's settings of the command line are kept: $XDG_CONFIG_HOME/sparserl, or below ~/.config.
std::filesystem::path userSettingsFolder();
/// Whether that is this folder or lies below it: nobody else may read or change it, whatever the umask is.
bool isPrivatePlace(const std::filesystem::path& path);
/// A file or folder there that others may read or change (one that an older version or another program made)
/// is this user's alone from now on. Of somebody else's nothing changes.
void makePrivate(int descriptor);
/// The same of a file that another library is going to write, and of its folders: they are made where they
/// are missing.
Status preparePrivateFile(const std::filesystem::path& file);

/// The text of a file of settings; empty where there is none. An Error says why it cannot be read now.
Result<std::string> readSettings(const std::filesystem::path& file);

/// Replaces a file of settings, one program at a time (FILE.lock): `change` makes the new text of the one
/// that is there. Where the file cannot be read, or `change` fails, it stays as it is.
Status changeSettings(const std::filesystem::path& file,
                      const std::function<Result<std::string>(const std::string&)>& change);

/// Its lines, without line breaks.
std::vector<std::string_view> linesOf(std::string_view text);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Safe names from foreign file names. File systems allow any name: line breaks, escape sequences, bytes that
// are not UTF-8, 255 bytes, "project.toml".
namespace sparserl {

/// Converts a file's name to the display name of its contents in tables, records and project.toml: one
/// printable line of UTF-8, or "unnamed" if the name is empty or has only blanks or only dots. Ordinary names
/// do not change.
std::string displayName(std::string_view fileName);

/// Converts a file's name to the name of a file that we create: one printable line without "/", not hidden,
/// at most 180 bytes including its suffix, and never a name that marks the folder as a project or a run.
/// Ordinary names do not change. Different long names stay different.
std::string copyName(std::string_view fileName);

} // namespace sparserl

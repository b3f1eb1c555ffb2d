// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// File systems let a file be called anything: line breaks, escape sequences, bytes that are no UTF-8, 255
// bytes, "project.toml". What becomes of such a name as soon as it is ours.
namespace sparserl {

/// A file's name as the name of what it holds, for tables, records and project.toml: one printable line of
/// UTF-8; "unnamed" for nothing, blanks or only dots. Ordinary names stay as they are.
std::string displayName(std::string_view fileName);

/// A file's name as the name of a file that we write into a folder of ours: such a line without "/", not
/// hidden, at most 180 bytes with its ending, and none that makes a project or a run of that folder. Ordinary
/// names stay as they are; different long names stay different.
std::string copyName(std::string_view fileName);

} // namespace sparserl

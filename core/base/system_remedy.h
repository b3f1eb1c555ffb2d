// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparserl {

/// The meaning of a file operation's errno, as text that can follow a colon.
std::string systemReason(int error);
/// The subject of a system call. The meaning of an errno depends on it.
enum class Subject
{
    File,   ///< A file or a folder on a disk.
    Stream, ///< A pipe, a socket or a device.
    Memory, ///< Shared memory, which the system treats as a file.
    Process ///< The start of a process.
};
/// A sentence that says what the user can do about the error, or empty.
std::string systemRemedy(int error, Subject subject = Subject::File);

} // namespace sparserl

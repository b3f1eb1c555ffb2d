// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparserl {

/// What an errno of a file operation means, in words that follow a colon.
std::string systemReason(int error);
/// What an operation of the system was about: the same errno means something else of each.
enum class Subject
{
    File,   ///< On a disk: also a folder.
    Stream, ///< A pipe, a socket or a device.
    Memory, ///< Shared memory, which the system treats as a file.
    Process ///< The start of one.
};
/// What a user can do about it; empty where there is nothing to say.
std::string systemRemedy(int error, Subject subject = Subject::File);

} // namespace sparserl

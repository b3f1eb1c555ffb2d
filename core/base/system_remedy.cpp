// SPDX-License-Identifier: Apache-2.0
#include "base/system_remedy.h"

#include <cerrno>
#include <cstring>

namespace sparserl {

std::string systemReason(int error)
{
    switch (error) {
    case ELOOP:
        return "a symbolic link is in the way";
    case EMLINK:
        return "the file has a second name elsewhere (a hard link)";
    default:
        return std::strerror(error);
    }
}

std::string systemRemedy(int error)
{
    switch (error) {
    case ENOENT:
        return "Check the path";
    case EACCES:
    case EPERM:
        return "Check the permissions";
    case EROFS:
        return "Nothing can be written there: choose another folder, or copy the project to one";
    case ENOSPC:
    case EDQUOT:
        return "Free some space on this disk";
    case ELOOP:
        return "Put what it leads to in its place; a link to a folder of your own is allowed with "
               "`sparserl project allow-link LINK`";
    case EMLINK:
        return "Put a copy of the file in its place";
    case EIO:
    case ESTALE:
    case EREMOTEIO:
    case ETIMEDOUT:
        return "See whether the disk and the way to it are sound, then try again";
    case ENOMEM:
        return "Close other programs, then try again";
    case EAGAIN:
    case EBUSY:
    case EINTR:
        return "Try again in a moment";
    case EMFILE:
    case ENFILE:
        return "Close other programs, or allow more open files (ulimit -n), then try again";
    case EFBIG:
        return "Allow larger files (ulimit -f), or choose a disk that takes them";
    case ENAMETOOLONG:
        return "Choose a shorter name";
    default:
        return {};
    }
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "base/system_remedy.h"

#include <cerrno>
#include <cstring>

namespace sparserl {

namespace {

constexpr const char* lookIntoTheLog = "Look for the cause in the system log (`dmesg`), then try again";

/// What lies at the other end, or the way to it, has failed: a disk, a file server, a peer.
bool isLost(int error)
{
    switch (error) {
    case EIO:
    case EREMOTEIO:
    case ETIMEDOUT:
    case ENOMEDIUM:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENETDOWN:
    case ENETUNREACH:
    case ENOTCONN:
    case ECONNREFUSED:
    case ECONNRESET:
    case ECONNABORTED:
    case ESHUTDOWN:
        return true;
    default:
        return false;
    }
}

/// Where no disk takes part; empty: the advice for a file fits.
std::string remedyWithoutDisk(int error, Subject subject)
{
    switch (error) {
    case 0:
    case EACCES:
    case EPERM:
    case ENOMEM:
    case ENOBUFS:
    case EBUSY:
    case EINTR:
    case EDEADLK:
    case EMFILE:
    case ENFILE:
        return {};
    case EAGAIN:
        return subject == Subject::Process
                   ? "Close other programs, or allow more processes (ulimit -u), then try again"
                   : "";
    case EFBIG:
        return subject == Subject::Memory
                   ? "Allow larger files (ulimit -f): the limit holds for shared memory, too"
                   : lookIntoTheLog;
    case ENOSPC:
    case EDQUOT:
        return subject == Subject::Memory   ? "Close other programs, then try again"
               : subject == Subject::Stream ? "Give another place"
                                            : lookIntoTheLog;
    case ENOSYS:
    case EOPNOTSUPP:
        return subject == Subject::Stream ? "Give another place" : "A newer Linux can do that";
    case ENXIO: // what opening a socket says
    case ENODEV:
    case ENOTDIR:
    case EINVAL:
    case ESPIPE:
        return subject == Subject::Stream ? "Give another place" : lookIntoTheLog;
    default:
        return subject == Subject::Stream && (error == EPIPE || isLost(error))
                   ? "See whether its other end is still there, then try again"
                   : lookIntoTheLog;
    }
}

} // namespace

std::string systemReason(int error)
{
    switch (error) {
    case ELOOP:
        return "a symbolic link is in the way";
    case EMLINK:
        return "the file has a second name elsewhere (a hard link)";
    case ESTALE:
        return "its folder was moved, replaced or removed while it was in use, or its file server knows it "
               "no longer";
    default:
        return std::strerror(error);
    }
}

std::string systemRemedy(int error, Subject subject)
{
    if (subject != Subject::File)
        if (std::string remedy = remedyWithoutDisk(error, subject); !remedy.empty())
            return remedy;
    switch (error) {
    case 0:
    case EEXIST: // who makes something says what is there
        return {};
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
        return "Check the path";
    case EACCES:
    case EPERM:
        return "Check the permissions";
    case EROFS:
        return "Nothing can be written there: choose another folder, or copy the project to one";
    case ENOSPC:
        return "Free some space on this disk";
    case EDQUOT:
        return "Your disk quota is used up: free some space there, or ask for more";
    case ELOOP:
        return "Replace the link with what it points to, or allow a link to a folder of your own with "
               "`sparserl project allow-link LINK`";
    case EMLINK:
        return "Replace the file with a copy of it";
    case ESTALE:
        return "Move the folder back, or continue at its new place; on a network disk, try again";
    case EBADMSG: // what a file system says of a block whose checksum is wrong
    case EUCLEAN:
        return "The file system is damaged: copy what can be read elsewhere, and have it checked (fsck)";
    case ENOMEM:
    case ENOBUFS:
        return "Close other programs, then try again";
    case EAGAIN:
    case EBUSY:
    case EINTR:
    case ETXTBSY:
    case EDEADLK:
        return "Try again in a moment";
    case EMFILE:
    case ENFILE:
        return "Close other programs, or allow more open files (ulimit -n), then try again";
    case EFBIG:
        return "Allow larger files (ulimit -f), or choose a disk that takes them";
    case ENAMETOOLONG:
    case EILSEQ:
        return "Choose a shorter or simpler name";
    case ENOTEMPTY:
        return "Move away what is in the folder";
    case ENOLCK:
    case EOPNOTSUPP:
    case ENOSYS:
    case EXDEV:
        return "This file system cannot do that: choose a folder on another disk";
    case EKEYEXPIRED:
    case EKEYREVOKED:
    case EKEYREJECTED:
    case ENOKEY:
        return "Log in to that file system again, then try again";
    default:
        return error == ENODEV || error == ENXIO || isLost(error)
                   ? "Check the disk and its connection, then try again"
                   : lookIntoTheLog;
    }
}

} // namespace sparserl

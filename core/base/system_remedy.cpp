// SPDX-License-Identifier: Apache-2.0
#include "base/system_remedy.h"

#include <cerrno>

namespace sparserl {

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
    default:
        return {};
    }
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "remote/remote_host.h"

#include "remote/shell_words.h"

namespace sparserl {

std::string RemoteHost::text() const
{
    return folder == RemoteHost().folder ? name : name + ":" + folder;
}

Result<RemoteHost> parseRemoteHost(std::string_view text)
{
    RemoteHost host;
    const auto colon = text.find(':');
    host.name = text.substr(0, colon);
    if (colon != std::string_view::npos)
        host.folder = text.substr(colon + 1);
    while (host.folder.size() > 1 && host.folder.ends_with('/'))
        host.folder.pop_back();
    SPARSERL_CHECK(checkRemoteHost(host));
    return host;
}

Status checkRemoteHost(const RemoteHost& host)
{
    SPARSERL_CHECK(checkHostName(host.name));
    SPARSERL_CHECK(checkRemoteText("the folder", host.folder));
    if (host.folder.starts_with('~') && !host.folder.starts_with("~/"))
        return fail("the folder \"" + host.folder + "\" is in the home of somebody else",
                    "Give it from the root, or below your own home folder");
    return checkRemoteText("the program", host.program);
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/quickstart.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/new_folders.h"
#include "base/trust.h"
#include "project/files/file_handle.h"

#include <system_error>

namespace sparserl {

namespace fs = std::filesystem;

fs::path quickstartFolder()
{
    return bundledProject();
}

Status copyQuickstart(const fs::path& to)
{
    const fs::path from = quickstartFolder();
    if (from.empty())
        return fail("the quickstart project did not come with this program",
                    "Take projects/quickstart from the sources");
    std::error_code error;
    if (glance(to).exists)
        return failAt(to.string(), 0, "there is something with this name already",
                      "Choose a name for a new folder");
    NewFolders folders;
    SPARSERL_CHECK(folders.make(to));
    SPARSERL_CHECK(trustProject(to));
    for (const char* part : {"project.toml", "job.toml", "benchmark.toml", "matrices"}) {
        if (!glance(from / part).exists)
            continue;
        fs::copy(from / part, to / part, fs::copy_options::recursive, error);
        if (error) {
            std::error_code ignored;
            removeTree(to, ignored); // it was not there before
            return fail(systemError("copy the quickstart project to", to, error.value()));
        }
    }
    return {};
}

} // namespace sparserl

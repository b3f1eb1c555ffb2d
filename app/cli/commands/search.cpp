// SPDX-License-Identifier: Apache-2.0
#include "app/cli/search_command.h"

namespace sparserl::cli {

Body add_search(CLI::App& app, Context& context)
{
    return addSearch(app, context, {}); // This program cannot load a policy.
}

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace CLI {
class App;
}

namespace sparserl::cli {

/// Everything that is declared of a command, for what is made of that (completions, manual pages): `name`,
/// `help`, `options` and `commands`, each of which is one again. An option has `names` with their dashes or a
/// `positional`, `help`, and where there is one `value` (what it takes), `choices` (it takes no others),
/// `suggestions`, `default`; `required` and `several` where it is so.
nlohmann::json described(CLI::App& app);

} // namespace sparserl::cli

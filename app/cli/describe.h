// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace CLI {
class App;
}

namespace sparserl::cli {

/// The declaration of a command for generated documents (completions, manual pages): `name`, `help`,
/// `options` and `commands`, each of which has the same structure. An option has `names` with dashes or a
/// `positional`, `help`, and optionally `value`, `choices` (exclusive), `suggestions`, `default`; also
/// `required` and `several` if true.
nlohmann::json described(CLI::App& app);

} // namespace sparserl::cli

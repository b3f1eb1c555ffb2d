// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "evaluation/operators/synthesize.h"

#include <string>
#include <vector>

namespace sparserl::cli {

struct OperatorSynthesisOptions
{
    std::string out;
    std::vector<std::string> heldOut; ///< NAME=FOLDER, or FOLDER.
    SynthesisOptions synthesis;
    OracleOptions oracle;
};

/// Makes tasks, and says what became of those that were drawn.
int synthesizeTasks(const Context& context, OperatorSynthesisOptions options);

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sparserl::cli {

struct CorpusRecommendOptions
{
    std::vector<std::string> matrices; ///< Files, packs or generators (matrix/matrix_list.h).
    std::string task = "spmv", type = "f32";
    std::int64_t columns = 8;
    int count = 10;
    std::string model = "h200"; ///< Device for the programs.
    std::string out;            ///< Folder for the programs; empty: only lists them.
};

/// Prints the families and parameters that suit matrices, best first.
int recommendPrograms(const CorpusRecommendOptions& options, const Context& context);

} // namespace sparserl::cli

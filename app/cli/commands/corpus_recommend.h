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
    std::string model = "h200"; ///< Device that the programs are to suit.
    std::string out;            ///< Folder for the programs; empty: they are only listed.
};

/// Prints the families and parameters that suit matrices, best first.
int recommendPrograms(const CorpusRecommendOptions& options, const Context& context);

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#include "corpus/spmm/row_sums.h"

#include <fmt/format.h>

namespace sparserl::spmm {

void declareArray(Grammar& g, const SpmmWriter& w, const std::string& size)
{
    const std::string& r = g.name("r");
    g.line(fmt::format("{} {}[{}];", w.type(), g.name("sum"), size));
    g.line("#pragma unroll");
    g.line(
        fmt::format("for (int {0} = 0; {0} < {1}; {0}++) {2}[{0}] = {3};", r, size, g.name("sum"), w.zero()));
}

void overRows(Grammar& g, const std::string& size)
{
    g.line("#pragma unroll");
    g.open(fmt::format("for (int {0} = 0; {0} < {1}; {0}++)", g.name("r"), size));
}

} // namespace sparserl::spmm

// SPDX-License-Identifier: Apache-2.0
// M14: sorted rows in slices, padded per slice.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/padded_rows.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/reasons.h"
#include "corpus/spmm_work.h"

namespace sparserl::spmm {

namespace {

void writeSell(Grammar& g)
{
    writePadded(g, "sell");
}

std::optional<SpmmWork> workSpmmSell(const SpmmProgram& program)
{
    return slicedWork(program, program.m.entry);
}

int recogniseSpmmSell(const ProgramShape& program)
{
    return program.names({"sell"}) ? 107 : 0;
}

} // namespace

KernelFamily sell()
{
    return {
        .family =
            {"M14",
             "SELL-C-sigma, part of a warp per row",
             "Sorted rows in padded slices with vector loads of B; good for short rows of similar length.",
             {blockParameter(),
              acrossParameter(),
              vecParameter({4, 2}),
              lanesParameter(),
              unrollParameter(),
              batchesParameter(),
              {"slice", "rows per slice", {16, 8, 32}},
              {"sigma", "rows per sorting window", {256, 64, 1024}}},
             {"sell"}},
        .write = writeSell,
        .recognise = recogniseSpmmSell,
        .rules = SpmmRules{.grids = {{{"block", {128}},
                                      {"across", {2, 4, 8}},
                                      {"vec", {4, 2}},
                                      {"lanes", {8, 2, 4, 16}},
                                      {"unroll", {2, 4}},
                                      {"batch", {0, 1}},
                                      {"slice", {16, 8}},
                                      {"sigma", {256, 64, 1024}}}},
                           .work = workSpmmSell,
                           .reason = reasonOfPadding,
                           .fits = {{.weights = {1.15, 0.692, 2.03, 1.08, 0.0449, 1.19, 0.308, 0, 0.584,
                                                 0.0364, 0, 0.578, 0.334, 0.197, 0.427, 0.381},
                                     .tail = 0.135,
                                     .factors = {{"across", 1, 1.04},
                                                 {"across", 4, 1.04},
                                                 {"across", 8, 0.933},
                                                 {"batch", 1, 0.962},
                                                 {"batch", 2, 1.07},
                                                 {"block", 64, 0.958},
                                                 {"block", 128, 1.03},
                                                 {"block", 512, 1.04},
                                                 {"lanes", 2, 1.03},
                                                 {"lanes", 4, 0.968},
                                                 {"lanes", 16, 0.967},
                                                 {"lanes", 32, 1.04},
                                                 {"sigma", 64, 0.945},
                                                 {"sigma", 1024, 1.05},
                                                 {"slice", 8, 1.03},
                                                 {"slice", 32, 0.95},
                                                 {"unroll", 1, 0.865},
                                                 {"unroll", 8, 1.13}}}}}};
}

} // namespace sparserl::spmm

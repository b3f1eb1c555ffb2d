// SPDX-License-Identifier: Apache-2.0
// M15: all rows padded to one length.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/padded_rows.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/reasons.h"
#include "corpus/spmm_work.h"

namespace sparserl::spmm {

namespace {

void writeEll(Grammar& g)
{
    writePadded(g, "ell");
}

std::optional<SpmmWork> workSpmmEll(const SpmmProgram& program)
{
    const SpmvMatrix& m = program.m;
    SpmmWork w = program.groups(m.rows, program.ways(), m.rows * m.longest, m.longest, m.longest);
    w.bytes = m.entry * m.rows * m.longest;
    w.typical -= 1; // No row pointers.
    w.chain -= 1;
    return m.storable(w.bytes) && m.longest > 0 ? std::optional(w) : std::nullopt;
}

int recogniseSpmmEll(const ProgramShape& program)
{
    return program.names({"ell"}) ? 106 : 0;
}

} // namespace

KernelFamily ell()
{
    return {
        .family = {"M15",
                   "ELL, part of a warp per row",
                   "All rows padded to one length with vector loads of B; good where rows are equally long.",
                   {blockParameter(), acrossParameter(), vecParameter({4, 2}), lanesParameter(),
                    unrollParameter(), batchesParameter()},
                   {"ell"}},
        .write = writeEll,
        .recognise = recogniseSpmmEll,
        .rules = SpmmRules{.grids = {{{"block", {128, 256}},
                                      {"across", {2, 4, 8}},
                                      {"vec", {4, 2}},
                                      {"lanes", {8, 2, 4, 16, 32}},
                                      {"unroll", {4, 1, 2, 8}},
                                      {"batch", {1, 0}}}},
                           .work = workSpmmEll,
                           .reason = reasonOfPadding,
                           .fits = {{.weights = {1.13, 0.686, 2.01, 0.958, 0.297, 1.17, 0.305, 0, 0.575,
                                                 0.0359, 0, 0.556, 0.165, 0.195, 0.424, 0.378},
                                     .tail = -0.0218,
                                     .factors = {{"across", 4, 1.08},
                                                 {"across", 8, 0.921},
                                                 {"batch", 1, 0.957},
                                                 {"batch", 2, 1.06},
                                                 {"block", 64, 1.04},
                                                 {"block", 512, 0.968},
                                                 {"lanes", 4, 0.95},
                                                 {"lanes", 32, 1.05},
                                                 {"unroll", 1, 0.891},
                                                 {"unroll", 4, 1.08}}}}}};
}

} // namespace sparserl::spmm

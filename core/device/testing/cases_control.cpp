// SPDX-License-Identifier: Apache-2.0
#include "device/testing/case_writer.h"

#include <fmt/format.h>

namespace sparserl::testing {

namespace {

using ptx::Type;

LaneValues same(std::uint64_t value)
{
    LaneValues values{};
    values.fill(value);
    return values;
}

/// Two warps: the second hands values to the first through shared memory, across the barrier.
void barriers(std::vector<OpcodeCase>& into)
{
    using Stem = std::pair<std::string, std::string>;
    for (const auto& [stem, aligned] :
         {Stem("bar", ""), Stem("bar.cta", ""), Stem("barrier", ".aligned"), Stem("barrier", "")}) {
        CaseWriter w(stem + aligned, 64);
        w.declare(".shared .align 4 .b8 sh[256];");
        const LaneValues a = operandValues(Type::B32, 2);
        const std::string x = w.load('r', a), start = w.reg('r'), mine = w.reg('r'), other = w.reg('r'),
                          index = w.reg('r'), y = w.reg('r'), z = w.reg('r');
        w.line(fmt::format("mov.u32 {}, sh;", start));
        w.line(fmt::format("mad.lo.s32 {}, {}, 4, {};", mine, CaseWriter::thread, start));
        w.line(fmt::format("xor.b32 {}, {}, 63;", index, CaseWriter::thread));
        w.line(fmt::format("mad.lo.s32 {}, {}, 4, {};", other, index, start));
        w.line(fmt::format("st.shared.b32 [{}], {};", mine, x));
        w.line(stem + ".sync" + aligned + " 0;");
        w.line(fmt::format("ld.shared.b32 {}, [{}];", y, other));
        LaneValues reversed{};
        for (std::size_t l = 0; l < lanes; ++l)
            reversed[l] = a[31 - l];
        w.check(stem + ".sync" + aligned, 'r', y, reversed);
        // Again with a number of threads.
        w.line(stem + ".sync" + aligned + " 1, 64;");
        w.line(fmt::format("st.shared.b32 [{}], {};", mine, y));
        w.line(stem + ".sync" + aligned + " 1, 64;");
        w.line(fmt::format("ld.shared.b32 {}, [{}];", z, other));
        w.check(stem + ".sync" + aligned, 'r', z, a);
        // Producer and consumer: warp 1 arrives and goes on, warp 0 waits.
        const std::string first = w.reg('p'), after = w.label(), producer = w.label(), got = w.reg('r'),
                          value = w.reg('r');
        w.line(stem + ".sync" + aligned + " 0;");
        w.line(fmt::format("mov.u32 {}, 0;", got));
        w.line(fmt::format("setp.ge.u32 {}, {}, 32;", first, CaseWriter::thread));
        w.line(fmt::format("@{} bra {};", first, producer));
        w.line(stem + ".sync" + aligned + " 2, 64;");
        w.line(fmt::format("ld.shared.b32 {}, [{}];", got, other));
        w.line(fmt::format("bra.uni {};", after));
        w.line(producer + ":");
        w.line(fmt::format("add.s32 {}, {}, 100;", value, CaseWriter::thread));
        w.line(fmt::format("st.shared.b32 [{}], {};", mine, value));
        w.line(stem + ".arrive" + aligned + " 2, 64;");
        w.line(after + ":");
        w.check(stem + ".arrive" + aligned, 'r', got, {});
        for (std::size_t t = 0; t < 32; ++t)
            w.state().checks.back().expected[t] = (t ^ 63) + 100;
        // Reductions over the block: 2 of 64 threads, some of them, not all.
        const std::string p = w.reg('p'), count = w.reg('r'), all = w.reg('p'), any = w.reg('p'),
                          none = w.reg('p');
        w.line(fmt::format("setp.ge.u32 {}, {}, 62;", p, CaseWriter::thread));
        w.line(fmt::format("{}.red.popc{}.u32 {}, 0, {};", stem, aligned, count, p));
        w.check(stem + ".red.popc" + aligned + ".u32", 'r', count, same(2));
        w.line(fmt::format("{}.red.and{}.pred {}, 0, {};", stem, aligned, all, p));
        w.check(stem + ".red.and" + aligned + ".pred", 'p', all, same(0));
        w.line(fmt::format("{}.red.or{}.pred {}, 0, {};", stem, aligned, any, p));
        w.check(stem + ".red.or" + aligned + ".pred", 'p', any, same(1));
        w.line(fmt::format("{}.red.and{}.pred {}, 3, 64, !{};", stem, aligned, none, p));
        w.check(stem + ".red.and" + aligned + ".pred", 'p', none, same(0));
        into.push_back(w.finish());
    }
}

/// A message: the value is written, fenced, then announced; the reader waits for the announcement.
void fences(std::vector<OpcodeCase>& into)
{
    const char* const forms[] = {"membar.cta",        "membar.gl",         "membar.sys",
                                 "fence.sc.cta",      "fence.sc.gpu",      "fence.sc.sys",
                                 "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.acq_rel.sys"};
    CaseWriter w("fence", 64);
    w.declare(".shared .align 4 .b8 sh[512];");
    const std::string start = w.reg('r'), data = w.reg('r'), flag = w.reg('r'), second = w.reg('p');
    w.line(fmt::format("mov.u32 {}, sh;", start));
    w.line(fmt::format("mad.lo.s32 {}, {}, 8, {};", data, CaseWriter::lane, start));
    w.line(fmt::format("add.s32 {}, {}, 4;", flag, data));
    w.line(fmt::format("setp.ge.u32 {}, {}, 32;", second, CaseWriter::thread));
    int value = 1000;
    for (const char* form : forms) {
        const std::string reader = w.label(), again = w.label(), after = w.label(), seen = w.reg('r'),
                          got = w.reg('r'), waiting = w.reg('p');
        w.line(fmt::format("@!{} st.shared.b32 [{}], 0;", second, flag));
        w.line("bar.sync 0;");
        w.line(fmt::format("mov.u32 {}, {};", got, value));
        w.line(fmt::format("@{} bra {};", second, reader));
        w.line(fmt::format("st.shared.b32 [{}], {};", data, value));
        w.line(std::string(form) + ";");
        w.line(fmt::format("st.volatile.shared.b32 [{}], 1;", flag));
        w.line(fmt::format("bra.uni {};", after));
        w.line(reader + ":");
        w.line(fmt::format("mov.u32 {}, 0;", got));
        w.line(again + ":");
        w.line(fmt::format("ld.volatile.shared.b32 {}, [{}];", seen, flag));
        w.line(fmt::format("setp.eq.s32 {}, {}, 0;", waiting, seen));
        w.line(fmt::format("@{} bra {};", waiting, again));
        w.line(std::string(form) + ";");
        w.line(fmt::format("ld.shared.b32 {}, [{}];", got, data));
        w.line(after + ":");
        w.line("bar.sync 0;");
        w.check(form, 'r', got, same(static_cast<std::uint64_t>(value)));
        value += 111;
    }
    into.push_back(w.finish());
}

void branchesAndCalls(std::vector<OpcodeCase>& into)
{
    CaseWriter w("control");
    // A loop whose length differs from lane to lane: the sum of 0 ... lane.
    const std::string sum = w.reg('r'), k = w.reg('r'), more = w.reg('p'), again = w.label();
    w.line(fmt::format("mov.u32 {}, 0;", sum));
    w.line(fmt::format("mov.u32 {}, 0;", k));
    w.line(again + ":");
    w.line(fmt::format("add.s32 {}, {}, {};", sum, sum, k));
    w.line(fmt::format("add.s32 {}, {}, 1;", k, k));
    w.line(fmt::format("setp.le.u32 {}, {}, {};", more, k, CaseWriter::lane));
    w.line(fmt::format("@{} bra {};", more, again));
    LaneValues expected{};
    for (std::size_t l = 0; l < lanes; ++l)
        expected[l] = l * (l + 1) / 2;
    w.check("bra", 'r', sum, expected);
    const std::string chosen = w.reg('r'), over = w.label();
    w.line(fmt::format("mov.u32 {}, 7;", chosen));
    w.line(fmt::format("bra.uni {};", over));
    w.line(fmt::format("mov.u32 {}, 8;", chosen));
    w.line(over + ":");
    w.check("bra.uni", 'r', chosen, same(7));
    // A function that returns early for odd numbers.
    int number = 0;
    for (const std::string call : {"call", "call.uni"}) {
        for (const std::string back : {"ret", "ret.uni"}) {
            w.module(fmt::format(
                ".func (.param .b32 r) h{}(.param .b32 p)\n{{\n    .reg .b32 %a<3>;\n    .reg .pred "
                "%odd;\n    ld.param.b32 %a0, [p];\n    and.b32 %a1, %a0, 1;\n    setp.eq.s32 %odd, "
                "%a1, 1;\n    mul.lo.s32 %a2, %a0, 10;\n    st.param.b32 [r], %a2;\n    @%odd ret;\n "
                "   add.s32 %a2, %a2, 5;\n    st.param.b32 [r], %a2;\n    {};\n}}",
                number, back));
            const std::string result = w.reg('r');
            w.line("{");
            w.line(".param .b32 p0;");
            w.line(".param .b32 r0;");
            w.line(fmt::format("st.param.b32 [p0], {};", CaseWriter::lane));
            w.line(fmt::format("{} (r0), h{}, (p0);", call, number++));
            w.line(fmt::format("ld.param.b32 {}, [r0];", result));
            w.line("}");
            for (std::size_t l = 0; l < lanes; ++l)
                expected[l] = 10 * l + (l % 2 ? 0 : 5);
            w.check(call, 'r', result, expected);
            w.check(back, 'r', result, expected);
        }
    }
    // Half of the lanes leave; what they did stays, and the others go on.
    const std::string leaves = w.reg('p'), even = w.reg('r');
    w.check("exit", 'r', CaseWriter::lane, same(0));
    for (std::size_t l = 0; l < lanes; ++l)
        w.state().checks.back().expected[l] = l;
    w.line(fmt::format("and.b32 {}, {}, 1;", even, CaseWriter::lane));
    w.line(fmt::format("setp.eq.s32 {}, {}, 1;", leaves, even));
    w.line(fmt::format("@{} exit;", leaves));
    LaneValues stay{};
    for (std::size_t l = 0; l < lanes; ++l)
        stay[l] = l % 2 ? 0 : l;
    w.check("exit", 'r', CaseWriter::lane, stay);
    into.push_back(w.finish());

    CaseWriter trap("trap");
    trap.line("trap;");
    trap.check("trap", 'r', CaseWriter::lane, {});
    into.push_back(trap.finish());
    into.back().faults = true;
}

} // namespace

void controlCases(std::vector<OpcodeCase>& into)
{
    barriers(into);
    fences(into);
    branchesAndCalls(into);
}

} // namespace sparserl::testing

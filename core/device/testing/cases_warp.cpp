// SPDX-License-Identifier: Apache-2.0
#include "device/testing/case_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::testing {

namespace {

using ptx::Type;
using U64 = std::uint64_t;
constexpr std::uint32_t everyone = 0xffffffff;

/// Which lane a shuffle reads, by the text of the PTX manual; `valid` as its predicate.
int shuffleSource(const std::string& mode, int lane, int b, int c, bool& valid)
{
    const int limit = c & 31, segment = (c >> 8) & 31, amount = b & 31;
    const int highest = (lane & segment) | (limit & ~segment & 31), lowest = lane & segment;
    int from = lane;
    if (mode == "up") {
        from = lane - amount;
        valid = from >= highest;
    } else if (mode == "down") {
        from = lane + amount;
        valid = from <= highest;
    } else if (mode == "bfly") {
        from = lane ^ amount;
        valid = from <= highest;
    } else {
        from = lowest | (amount & ~segment & 31);
        valid = from <= highest;
    }
    return valid ? from : lane;
}

void shuffles(CaseList& list)
{
    CaseWriter& w = list.writer("shuffle");
    const LaneValues a = operandValues(Type::B32, 2);
    const std::string x = w.load('r', a);
    LaneValues lanewise{}; // an amount that differs from lane to lane is meaningful for idx only
    for (std::size_t l = 0; l < lanes; ++l)
        lanewise[l] = (l * 5 + 3) % 32;
    const std::string amounts = w.load('r', lanewise);
    struct Use
    {
        const char* mode;
        int amount, c; // amount -1: one for each lane
    };
    // c: clamp in the low five bits, segment mask above: widths 32, 16, 8 and 4.
    const Use uses[] = {{"up", 1, 0},        {"up", 5, 0x1800},   {"up", 31, 0},        {"down", 1, 0x1f},
                        {"down", 3, 0x181f}, {"down", 16, 0x1f},  {"down", 2, 0x1c1f},  {"bfly", 1, 0x1f},
                        {"bfly", 16, 0x1f},  {"bfly", 4, 0x101f}, {"bfly", 31, 0x181f}, {"idx", 0, 0x1f},
                        {"idx", 31, 0x1f},   {"idx", 7, 0x101f},  {"idx", -1, 0x1f},    {"idx", -1, 0x181f}};
    for (const Use& use : uses) {
        const std::string form = fmt::format("shfl.sync.{}.b32", use.mode), d = w.reg('r'), p = w.reg('p');
        LaneValues expected{}, valid{};
        for (int l = 0; l < lanes; ++l) {
            bool inRange = false;
            const int amount =
                use.amount < 0 ? static_cast<int>(lanewise[static_cast<std::size_t>(l)]) : use.amount;
            const int from = shuffleSource(use.mode, l, amount, use.c, inRange);
            expected[static_cast<std::size_t>(l)] = a[static_cast<std::size_t>(from)];
            valid[static_cast<std::size_t>(l)] = inRange;
        }
        w.line(fmt::format("{} {}|{}, {}, {}, {}, -1;", form, d, p, x,
                           use.amount < 0 ? amounts : std::to_string(use.amount), use.c));
        w.check(form, 'r', d, expected);
        w.check(form, 'p', p, valid);
    }
}

/// Lanes that hold a predicate.
std::uint32_t ballot(const LaneValues& values)
{
    std::uint32_t bits = 0;
    for (std::size_t l = 0; l < lanes; ++l)
        bits |= (values[l] ? 1u : 0u) << l;
    return bits;
}

LaneValues same(U64 value)
{
    LaneValues values{};
    values.fill(value);
    return values;
}

void votes(CaseList& list)
{
    CaseWriter& w = list.writer("vote");
    for (const LaneValues& values : {predicateValues(0), same(0), same(1)}) {
        const std::string p = w.load('p', values);
        const std::uint32_t bits = ballot(values);
        const auto vote = [&](const char* name, bool value) {
            const std::string d = w.reg('p'), form = fmt::format("vote.sync.{}.pred", name);
            w.line(fmt::format("{} {}, {}, -1;", form, d, p));
            w.check(form, 'p', d, same(value));
        };
        vote("any", bits != 0);
        vote("all", bits == everyone);
        vote("uni", bits == 0 || bits == everyone);
        const std::string d = w.reg('r');
        w.line(fmt::format("vote.sync.ballot.b32 {}, {}, -1;", d, p));
        w.check("vote.sync.ballot.b32", 'r', d, same(bits));
    }
    // Half a warp at a time, each half with its own mask.
    const LaneValues values = predicateValues(5);
    const std::string p = w.load('p', values), upper = w.reg('p'), d = w.reg('r'), mask = w.reg('r');
    w.line(fmt::format("setp.ge.u32 {}, {}, 16;", upper, CaseWriter::lane));
    w.line(fmt::format("selp.b32 {}, 0xffff0000, 0x0000ffff, {};", mask, upper));
    const std::string other = w.label(), end = w.label();
    w.line(fmt::format("@{} bra {};", upper, other));
    w.line(fmt::format("vote.sync.ballot.b32 {}, {}, {};", d, p, mask));
    w.line(fmt::format("bra.uni {};", end));
    w.line(other + ":");
    w.line(fmt::format("vote.sync.ballot.b32 {}, {}, {};", d, p, mask));
    w.line(end + ":");
    w.line("bar.warp.sync -1;");
    LaneValues halves{};
    for (std::size_t l = 0; l < lanes; ++l)
        halves[l] = ballot(values) & (l < 16 ? 0xffffu : 0xffff0000u);
    w.check("vote.sync.ballot.b32", 'r', d, halves);
    const std::string active = w.reg('r');
    w.line(fmt::format("activemask.b32 {};", active));
    w.check("activemask.b32", 'r', active, same(everyone));
}

void matches(CaseList& list)
{
    CaseWriter& w = list.writer("match");
    for (const bool wide : {false, true}) {
        const char letter = wide ? 'l' : 'r';
        const char* const type = wide ? "b64" : "b32";
        LaneValues groups{};
        for (std::size_t l = 0; l < lanes; ++l)
            groups[l] = (l * 7 % 5) * (wide ? 0x100000001 : 1); // five values, also above 32 bits
        for (const LaneValues& values : {groups, same(9)}) {
            LaneValues any{};
            for (std::size_t l = 0; l < lanes; ++l) {
                for (std::size_t k = 0; k < lanes; ++k)
                    any[l] |= values[k] == values[l] ? U64(1) << k : 0;
            }
            const bool all = any[0] == everyone;
            const std::string x = w.load(letter, values), d = w.reg('r'), e = w.reg('r'), p = w.reg('p');
            const std::string anyForm = fmt::format("match.any.sync.{}", type),
                              allForm = fmt::format("match.all.sync.{}", type);
            w.line(fmt::format("{} {}, {}, -1;", anyForm, d, x));
            w.check(anyForm, 'r', d, any);
            w.line(fmt::format("{} {}|{}, {}, -1;", allForm, e, p, x));
            w.check(allForm, 'r', e, same(all ? everyone : 0));
            w.check(allForm, 'p', p, same(all));
        }
    }
}

void reductions(CaseList& list)
{
    CaseWriter& w = list.writer("redux");
    const LaneValues a = operandValues(Type::B32, 1);
    const std::string x = w.load('r', a);
    const auto fold = [&](const std::string& name, const std::string& type, auto f) {
        std::uint32_t value = static_cast<std::uint32_t>(a[0]);
        for (std::size_t l = 1; l < lanes; ++l)
            value = f(value, static_cast<std::uint32_t>(a[l]));
        const std::string form = fmt::format("redux.sync.{}.{}", name, type), d = w.reg('r');
        w.line(fmt::format("{} {}, {}, -1;", form, d, x));
        w.check(form, 'r', d, same(value));
    };
    using U = std::uint32_t;
    using S = std::int32_t;
    for (const char* type : {"u32", "s32"})
        fold("add", type, [](U p, U q) { return p + q; });
    fold("min", "u32", [](U p, U q) { return std::min(p, q); });
    fold("max", "u32", [](U p, U q) { return std::max(p, q); });
    fold("min", "s32",
         [](U p, U q) { return static_cast<U>(std::min(static_cast<S>(p), static_cast<S>(q))); });
    fold("max", "s32",
         [](U p, U q) { return static_cast<U>(std::max(static_cast<S>(p), static_cast<S>(q))); });
    fold("and", "b32", [](U p, U q) { return p & q; });
    fold("or", "b32", [](U p, U q) { return p | q; });
    fold("xor", "b32", [](U p, U q) { return p ^ q; });
}

void barWarp(CaseList& list)
{
    // Neighbours hand values over in shared memory; bar.warp.sync is what makes them visible.
    CaseWriter& w = list.writer("bar.warp.sync");
    w.declare(".shared .align 4 .b8 sh[128];");
    const LaneValues a = operandValues(Type::B32, 3);
    const std::string x = w.load('r', a), start = w.reg('r'), mine = w.reg('r'), other = w.reg('r'),
                      index = w.reg('r'), y = w.reg('r');
    w.line(fmt::format("mov.u32 {}, sh;", start));
    w.line(fmt::format("mad.lo.s32 {}, {}, 4, {};", mine, CaseWriter::lane, start));
    w.line(fmt::format("st.shared.b32 [{}], {};", mine, x));
    w.line("bar.warp.sync -1;");
    w.line(fmt::format("xor.b32 {}, {}, 31;", index, CaseWriter::lane));
    w.line(fmt::format("mad.lo.s32 {}, {}, 4, {};", other, index, start));
    w.line(fmt::format("ld.shared.b32 {}, [{}];", y, other));
    LaneValues reversed{};
    for (std::size_t l = 0; l < lanes; ++l)
        reversed[l] = a[31 - l];
    w.check("bar.warp.sync", 'r', y, reversed);
}

} // namespace

void warpCases(std::vector<OpcodeCase>& into)
{
    CaseList list(into);
    shuffles(list);
    votes(list);
    matches(list);
    reductions(list);
    barWarp(list);
    list.flush();
}

} // namespace sparserl::testing

// SPDX-License-Identifier: Apache-2.0
// The table of opcodes: what patterns stand for, and what modifiers mean.
#include "ptx/opcode_help.h"
#include "ptx/opcode_patterns.h"
#include "ptx/opcodes.h"

#include <QTest>

using namespace sparserl::ptx;

class OpcodesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void patterns_data();
    void patterns();
    void textsAreUnique();
    void typesAndRounding();
    void memory();
    void atomics();
    void together();
    void matrices();
    void costs();
    void hints_data();
    void hints();
    void everyFormIsExplained();
    void helpOfAnInstruction();
    void opcodesOfLines();
};

void OpcodesTest::patterns_data()
{
    QTest::addColumn<QByteArray>("pattern");
    QTest::addColumn<QByteArray>("texts"); // sorted, by blanks
    QTest::newRow("plain") << QByteArray("ret") << QByteArray("ret");
    QTest::newRow("optional") << QByteArray("bra[.uni]") << QByteArray("bra bra.uni");
    QTest::newRow("choice") << QByteArray("a.(x|y)") << QByteArray("a.x a.y");
    QTest::newRow("nested") << QByteArray("a([.f].s|.d)") << QByteArray("a.d a.f.s a.s");
    QTest::newRow("two") << QByteArray("(a|b)[.c].(d|e)")
                         << QByteArray("a.c.d a.c.e a.d a.e b.c.d b.c.e b.d b.e");
    QTest::newRow("each once") << QByteArray("a([.x]|.x)") << QByteArray("a a.x");
    QTest::newRow("empty alternative") << QByteArray("a(.x|[.y])") << QByteArray("a a.x a.y");
}

void OpcodesTest::patterns()
{
    QFETCH(QByteArray, pattern);
    QFETCH(QByteArray, texts);
    QByteArray joined;
    for (const std::string& text : expandPattern(pattern.toStdString()))
        joined += (joined.isEmpty() ? "" : " ") + QByteArray::fromStdString(text);
    QCOMPARE(joined, texts);
}

void OpcodesTest::textsAreUnique()
{
    const std::vector<OpcodeForm>& all = allOpcodes();
    QVERIFY(all.size() > 7000);
    for (std::size_t i = 0; i < all.size(); ++i) {
        QCOMPARE(findOpcode(all[i].text), &all[i]);
        QVERIFY2(i == 0 || all[i - 1].text < all[i].text, all[i].text.c_str());
        // An operand has a letter that somebody reads.
        QVERIFY2(all[i].operands.find_first_not_of("dwxjsWtyilmknpqQDJavuLAGVMNOP=C?") ==
                     std::string_view::npos,
                 all[i].text.c_str());
    }
    QVERIFY(!findOpcode("add"));
    QVERIFY(!findOpcode("add.f16.f16"));
    QVERIFY(!findOpcode("brx.idx"));
}

void OpcodesTest::typesAndRounding()
{
    const OpcodeForm& narrow = *findOpcode("cvt.rz.f32.f64");
    QCOMPARE(narrow.type, Type::F32);
    QCOMPARE(narrow.source, Type::F64);
    QCOMPARE(narrow.rounding, Rounding::Rz);
    const OpcodeForm& whole = *findOpcode("cvt.rni.ftz.s16.f32");
    QCOMPARE(whole.type, Type::S16);
    QCOMPARE(whole.rounding, Rounding::Rni);
    QVERIFY(whole.ftz && !whole.saturate);
    QVERIFY(findOpcode("cvt.sat.u8.s64")->saturate);
    QVERIFY(!findOpcode("cvt.sat.s64.u8")); // every value fits
    const OpcodeForm& compare = *findOpcode("setp.hs.xor.u64");
    QCOMPARE(compare.cmp, Cmp::Ge);
    QCOMPARE(compare.boolOp, BoolOp::Xor);
    QCOMPARE(compare.operands, std::string_view("Qttp"));
    QVERIFY(!findOpcode("setp.lo.s32"));
    const OpcodeForm& set = *findOpcode("set.neu.ftz.u32.f32");
    QCOMPARE(set.type, Type::U32);
    QCOMPARE(set.source, Type::F32);
    QVERIFY(set.ftz);
    const OpcodeForm& carry = *findOpcode("addc.cc.u32");
    QVERIFY(carry.carryIn && carry.carryOut);
    QVERIFY(!findOpcode("subc.s64")->carryOut && findOpcode("subc.s64")->carryIn);
    QVERIFY(findOpcode("mad.hi.cc.u64")->carryOut && !findOpcode("mad.hi.cc.u64")->carryIn);
    QCOMPARE(findOpcode("testp.notanumber.f64")->testp, TestpKind::NotANumber);
    QVERIFY(findOpcode("vabsdiff4.u32.u32.u32.add")->saturate);
}

void OpcodesTest::memory()
{
    const OpcodeForm& load = *findOpcode("ld.global.cs.nc.v4.f32");
    QCOMPARE(load.action, Action::Load);
    QCOMPARE(load.space, Space::Global);
    QCOMPARE(load.vector, 4);
    QVERIFY(load.nonCoherent);
    QCOMPARE(load.cache, CachePolicy::PastL1);
    QCOMPARE(load.order, Order::Weak);
    QCOMPARE(findOpcode("ld.global.ca.b64")->cache, CachePolicy::Normal);
    QCOMPARE(findOpcode("ld.global.cv.b64")->order, Order::Volatile);
    QCOMPARE(findOpcode("st.global.wt.b64")->order, Order::Volatile);
    QVERIFY(!findOpcode("ld.global.v4.f64")); // at most 16 bytes
    QVERIFY(!findOpcode("st.const.u32"));
    const OpcodeForm& acquire = *findOpcode("ld.acquire.cta.shared.u32");
    QCOMPARE(acquire.order, Order::Acquire);
    QCOMPARE(acquire.scope, Scope::Cta);
    QCOMPARE(acquire.space, Space::Shared);
    QVERIFY(!findOpcode("st.acquire.gpu.u32"));
    QCOMPARE(findOpcode("cp.async.cg.shared.global")->cache, CachePolicy::PastL1);
    QCOMPARE(findOpcode("cp.async.ca.shared.global")->space, Space::Global);
}

void OpcodesTest::atomics()
{
    const OpcodeForm& plain = *findOpcode("atom.add.f32");
    QCOMPARE(plain.order, Order::Relaxed);
    QCOMPARE(plain.scope, Scope::Gpu);
    QCOMPARE(plain.space, Space::Generic);
    QCOMPARE(plain.atom, AtomOp::Add);
    // Both orders of the modifiers.
    for (const char* text : {"atom.acq_rel.sys.shared.cas.b64", "atom.shared.acq_rel.sys.cas.b64"}) {
        const OpcodeForm* form = findOpcode(text);
        QVERIFY2(form, text);
        QCOMPARE(form->order, Order::AcqRel);
        QCOMPARE(form->scope, Scope::Sys);
        QCOMPARE(form->space, Space::Shared);
        QCOMPARE(form->atom, AtomOp::Cas);
        QCOMPARE(form->operands, std::string_view("dass"));
    }
    QVERIFY(!findOpcode("red.global.cas.b32"));
    QVERIFY(!findOpcode("red.acquire.gpu.global.add.u32"));
}

void OpcodesTest::together()
{
    QCOMPARE(findOpcode("shfl.sync.bfly.b32")->shuffle, ShuffleMode::Butterfly);
    QCOMPARE(findOpcode("vote.sync.ballot.b32")->vote, VoteMode::Ballot);
    QCOMPARE(findOpcode("match.all.sync.b64")->vote, VoteMode::All);
    QCOMPARE(findOpcode("redux.sync.min.s32")->atom, AtomOp::Min);
    QCOMPARE(findOpcode("barrier.red.and.aligned.pred")->atom, AtomOp::And);
    QCOMPARE(findOpcode("membar.gl")->scope, Scope::Gpu);
    QCOMPARE(findOpcode("fence.acq_rel.cta")->scope, Scope::Cta);
}

void OpcodesTest::matrices()
{
    // Registers of D, A, B and C of a lane, by the PTX manual's fragments.
    const MatrixShape& halves = findOpcode("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")->matrix;
    QCOMPARE(halves.k, 16);
    QCOMPARE(std::vector<int>({halves.d, halves.a, halves.b, halves.c}), std::vector<int>({4, 4, 2, 4}));
    const MatrixShape& tensor = findOpcode("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32")->matrix;
    QCOMPARE(std::vector<int>({tensor.d, tensor.a, tensor.b, tensor.c}), std::vector<int>({4, 2, 1, 4}));
    const MatrixShape& small = findOpcode("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16")->matrix;
    QCOMPARE(std::vector<int>({small.d, small.a, small.b, small.c}), std::vector<int>({2, 2, 1, 2}));
    const MatrixShape& wide = findOpcode("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64")->matrix;
    QCOMPARE(std::vector<int>({wide.d, wide.a, wide.b, wide.c}), std::vector<int>({2, 1, 1, 2}));
    const MatrixShape& loaded = findOpcode("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16")->matrix;
    QCOMPARE(loaded.k, 4);
    QVERIFY(loaded.transposed);
}

void OpcodesTest::costs()
{
    QCOMPARE(findOpcode("fma.rn.f32")->pipe, Pipe::Float);
    QCOMPARE(findOpcode("fma.rn.f64")->pipe, Pipe::Double);
    QCOMPARE(findOpcode("cvt.rn.f32.f64")->pipe, Pipe::Double);
    QCOMPARE(findOpcode("add.s32")->pipe, Pipe::Integer);
    QCOMPARE(findOpcode("rem.u32")->pipe, Pipe::Special);
    QCOMPARE(findOpcode("ld.shared.f32")->pipe, Pipe::Shared);
    QCOMPARE(findOpcode("ld.param.u64")->pipe, Pipe::Memory);
    QCOMPARE(findOpcode("atom.global.add.u32")->pipe, Pipe::Memory);
    QCOMPARE(findOpcode("bar.sync")->pipe, Pipe::Control);
    QCOMPARE(findOpcode("shfl.sync.down.b32")->pipe, Pipe::Shuffle);
    QVERIFY(latencyOf(Pipe::Special) > latencyOf(Pipe::Double));
}

void OpcodesTest::hints_data()
{
    QTest::addColumn<QByteArray>("plain");
    QTest::addColumn<bool>("keeps");
    QTest::newRow("ld.global.L2::128B.f32") << QByteArray("ld.global.f32") << true;
    QTest::newRow("ld.global.nc.L1::no_allocate.L2::256B.v4.f32")
        << QByteArray("ld.global.nc.v4.f32") << true;
    QTest::newRow("ld.global.L1::no_allocate.f32") << QByteArray("ld.global.f32") << false;
    QTest::newRow("st.global.L1::evict_last.f32") << QByteArray("st.global.f32") << true;
    QTest::newRow("cp.async.cg.shared.global.L2::64B") << QByteArray("cp.async.cg.shared.global") << true;
    QTest::newRow("ld.shared::cta.u32") << QByteArray("ld.shared.u32") << false;
    QTest::newRow("ld.global.f32") << QByteArray("ld.global.f32") << false;
    QTest::newRow("ld.global.L2::1024B.f32") << QByteArray() << false;
    QTest::newRow("ld.shared::cluster.u32") << QByteArray() << false;
    QTest::newRow("atom.global.L2::128B.add.u32") << QByteArray() << false;
}

void OpcodesTest::hints()
{
    QFETCH(QByteArray, plain);
    QFETCH(bool, keeps);
    const Spelling spelling = readOpcode(QTest::currentDataTag());
    QCOMPARE(spelling.form ? QByteArray::fromStdString(spelling.form->text) : QByteArray(), plain);
    if (spelling.form)
        QCOMPARE(spelling.keepsInCache, keeps);
}

namespace {

/// How many operands "d, a{, b}" names: without and with those in braces.
std::pair<int, int> operandCounts(std::string_view operands)
{
    if (operands.empty())
        return {0, 0};
    int least = 1, most = 1;
    bool optional = false;
    for (const char c : operands) {
        optional = c == '{' || (optional && c != '}');
        most += c == ',';
        least += c == ',' && !optional;
    }
    return {least, most};
}

} // namespace

// Whatever the gate lets through has a sentence, as many operands as it takes, and no modifier that says
// nothing.
void OpcodesTest::everyFormIsExplained()
{
    for (const OpcodeForm& form : allOpcodes()) {
        const OperationHelp& help = helpOf(form.op);
        QVERIFY2(help.sentence.size() > 6 && help.sentence.ends_with('.'), form.text.c_str());
        std::size_t dot = form.text.find('.');
        while (dot != std::string::npos) {
            const std::size_t next = form.text.find('.', dot + 1);
            const std::string modifier =
                form.text.substr(dot + 1, next == std::string::npos ? next : next - dot - 1);
            QVERIFY2(!modifierHelp(modifier, form.action).empty(), (modifier + " of " + form.text).c_str());
            dot = next;
        }
        if (form.operands == "=" || form.operands == "C") // any number
            continue;
        int least = 0, most = 0;
        for (std::size_t i = 0; i < form.operands.size(); ++i) {
            if (form.operands[i] == '?')
                continue;
            ++most;
            least += i == 0 || form.operands[i - 1] != '?';
        }
        const auto [named, namedMost] = operandCounts(help.operands);
        QVERIFY2(named <= least && namedMost >= most, form.text.c_str());
    }
}

void OpcodesTest::helpOfAnInstruction()
{
    const auto explained = [](const char* name) { return explain(*findOpcode(name), name); };
    const auto load = explained("ld.global.nc.L1::no_allocate.L2::128B.v4.f32");
    QCOMPARE(load.operands, std::string("d, [a]"));
    QCOMPARE(load.sentence, std::string("d = what memory holds at address a."));
    QCOMPARE(load.modifiers,
             std::string(
                 ".global: global memory; .nc: read-only data, through L1 without coherence; "
                 ".L1::no_allocate: L1 does not keep it; .L2::128B: L2 fetches 128 bytes; .v4: four values "
                 "at once; .f32: 32-bit float"));
    QCOMPARE(load.cost, std::string("Memory pipe: tens of clocks from L1, hundreds from L2 and DRAM"));
    QCOMPARE(explained("fma.rn.f32").cost, std::string("FP32 pipe: about 4 clocks"));
    // The same word in a comparison and elsewhere; a type that comes twice is told once.
    QVERIFY(explained("setp.lo.u32").modifiers.find("a < b without signs") != std::string::npos);
    QVERIFY(explained("mul.lo.u32").modifiers.find("the lower half of the product") != std::string::npos);
    QCOMPARE(explained("cvt.u32.u32").modifiers, std::string(".u32: 32-bit whole number without sign"));
    QVERIFY(explained("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
                .modifiers.find("A is 16 x 8, B 8 x 8") != std::string::npos);
}

void OpcodesTest::opcodesOfLines()
{
    QCOMPARE(opcodeOf("\tld.param.u64 \t%rd1, [p];"), std::string_view("ld.param.u64"));
    QCOMPARE(opcodeOf("\t@!%p1 bra \t$L__BB0_2;"), std::string_view("bra"));
    QCOMPARE(opcodeOf("\tret;"), std::string_view("ret"));
    QCOMPARE(opcodeOf("{ call.uni f, ();"), std::string_view("call.uni"));
    for (const char* none :
         {"", "\t", "$L__BB0_2:", ".loc 1 2 3", "@", "}", "// add.f32", ".reg .b32 %r<9>;"})
        QVERIFY2(!findOpcode(opcodeOf(none)), none);
}

QTEST_GUILESS_MAIN(OpcodesTest)
#include "tst_opcodes.moc"

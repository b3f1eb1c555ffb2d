// SPDX-License-Identifier: Apache-2.0
// Every opcode form on the simulator against values computed independently, and through the assembler.
#include "compile/nvjitlink.h"
#include "device/testing/opcode_cases.h"
#include "harness.h"

#include <QTest>
#include <set>

using namespace sparserl;
using namespace sparserl::harness;

class TestOpcodeCases : public QObject
{
    Q_OBJECT

private:
    std::vector<OpcodeCase> m_cases;

private Q_SLOTS:
    void initTestCase() { m_cases = opcodeCases(); }
    void everyFormHasACase();
    void simulatorAgrees_data();
    void simulatorAgrees();
    void assemblerAcceptsThem();
    void differencesAreFound();
};

void TestOpcodeCases::everyFormHasACase()
{
    std::set<std::string> covered;
    for (const OpcodeCase& one : m_cases) {
        for (const OpcodeCheck& check : one.checks) {
            // What wmma stands for is made of other forms.
            QVERIFY2(ptx::findOpcode(check.form) || check.form.starts_with("wmma."), check.form.c_str());
            // The kernel really contains the instruction.
            QVERIFY2(one.ptx.find(check.form + " ") != std::string::npos ||
                         one.ptx.find(check.form + ";") != std::string::npos,
                     (one.name + " lacks " + check.form).c_str());
            covered.insert(check.form);
        }
    }
    std::string missing;
    for (const ptx::OpcodeForm& form : ptx::allOpcodes()) {
        if (!covered.count(form.text))
            missing += form.text + " ";
    }
    QVERIFY2(missing.empty(), missing.c_str());
}

void TestOpcodeCases::simulatorAgrees_data()
{
    QTest::addColumn<int>("level");
    QTest::addColumn<int>("layout");
    QTest::newRow("none") << int(Checks::None) << int(AddressLayout::Apart);
    QTest::newRow("all") << int(Checks::All) << int(AddressLayout::Apart);
    QTest::newRow("none, together") << int(Checks::None) << int(AddressLayout::Together);
    QTest::newRow("all, together") << int(Checks::All) << int(AddressLayout::Together);
    QTest::newRow("all, far") << int(Checks::All) << int(AddressLayout::Far);
}

void TestOpcodeCases::simulatorAgrees()
{
    QFETCH(const int, level);
    QFETCH(const int, layout);
    std::string wrong;
    int count = 0;
    for (const OpcodeCase& one : m_cases) {
        Bench bench(one.ptx);
        if (const auto unsupported = ptx::firstUnsupported(bench.module)) {
            wrong += one.name + ": " + unsupported->reason + "\n";
            continue;
        }
        std::vector<std::int64_t> data(one.input.begin(), one.input.end());
        const int in = bench.matrix("in", data),
                  out = bench.buffer("y", BufferRole::Output, ElementType::F32,
                                     static_cast<std::int64_t>(one.outputBytes / 4), true);
        bench.launch("k", one.blocks, one.threads, {array(in), array(out)});
        bench.request.layout = static_cast<AddressLayout>(layout);
        const ExecutionResult result = bench.run({}, 1, static_cast<Checks>(level));
        if (one.faults != result.fault.has_value()) {
            wrong += one.name + ": " + (result.fault ? result.fault->message : "no fault") + "\n";
            continue;
        }
        if (one.faults)
            continue;
        const std::string difference = firstDifference(one, result.outputs.at(0).at(0).bytes);
        if (!difference.empty())
            wrong += difference + "\n";
        ++count;
    }
    QVERIFY2(wrong.empty(), wrong.c_str());
    QVERIFY(count > 100);
}

void TestOpcodeCases::assemblerAcceptsThem()
{
    const auto linker = NvJitLink::load();
    if (!linker)
        QSKIP(qPrintable(QString::fromStdString(linker.error().sentence())));
    std::string wrong;
    for (const OpcodeCase& one : m_cases) {
        const auto assembled = linker->assemble(one.ptx, "sm_90");
        QVERIFY(assembled);
        if (!assembled->ok)
            wrong += one.name + ": " + assembled->log + "\n";
    }
    QVERIFY2(wrong.empty(), wrong.c_str());
}

void TestOpcodeCases::differencesAreFound()
{
    const OpcodeCase& one = m_cases.front();
    std::vector<std::byte> output(one.outputBytes);
    for (const OpcodeCheck& check : one.checks)
        std::memcpy(output.data() + check.offset, check.expected.data(), 8 * check.expected.size());
    QCOMPARE(firstDifference(one, output), std::string());
    output[one.checks.back().offset + 8] ^= std::byte(1);
    QVERIFY(firstDifference(one, output).find(one.checks.back().form) != std::string::npos);
    output.resize(10);
    QVERIFY(!firstDifference(one, output).empty());
}

QTEST_GUILESS_MAIN(TestOpcodeCases)
#include "tst_opcode_cases.moc"

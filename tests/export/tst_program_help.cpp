// SPDX-License-Identifier: Apache-2.0
// What is said of instructions and control codes, held against what compiler, linker and disassembler make of
// programs of every family. The disassembler sees a drawn third of them; SPARSERL_TEST_SHARE=1: all.
#include "compile/sass_help.h"
#include "corpus/corpus.h"
#include "export/gated_ptx.h"
#include "export/program_help.h"
#include "export/program_sass.h"
#include "machine/cuda_tools.h"
#include "tests/drawn_share.h"

#include <QtTest>

#include <map>
#include <set>
#include <sstream>

using namespace sparserl;

namespace {

constexpr const char* runner = SPARSERL_BIN_DIR "/sparserl-runner";

/// What compileForBundle makes, without a process of its own for each program: these are ours.
Result<BundleCode> codeOfFamily(ProgramCompiler& compiler, const Family& family)
{
    SPARSERL_TRY(const auto derived, derive(family.id, {}, Style()));
    const auto program = parseProgram(derived.text);
    if (!program)
        return fail(program.error().reason);
    CompileRequest request;
    request.code = program->code;
    request.assemble = false;
    for (const PlanCall& call : program->plan.calls)
        request.kernels.push_back(call.kernel);
    SPARSERL_TRY(const auto compiled, compiler.compile(request));
    return compiled ? gateForBundle(program->plan, compiled->ptx) : fail(compiled.error().message);
}

/// Instructions of a listing with what they tell the scheduler.
struct Instruction
{
    std::string line, name;
    SassControl control;
};
std::vector<Instruction> instructionsOf(const SassListing& listing)
{
    std::vector<Instruction> instructions;
    std::istringstream in(listing.text);
    std::size_t number = 0;
    for (std::string line; std::getline(in, line); ++number)
        if (!sassName(line).empty() && listing.controls[number])
            instructions.push_back({line, std::string(sassName(line)), *listing.controls[number]});
    return instructions;
}

} // namespace

class ProgramHelpTest : public QObject
{
    Q_OBJECT

private:
    std::map<std::string, BundleCode> m_programs; ///< By family.

private Q_SLOTS:
    void initTestCase()
    {
        auto compiler = ProgramCompiler::create();
        QVERIFY2(compiler, compiler ? "" : compiler.error().sentence().c_str());
        for (const Task task : {Task::SpMV, Task::SpMM})
            for (const Family& family : families(task)) {
                auto code = codeOfFamily(*compiler, family);
                QVERIFY2(code, (family.id + ": " + (code ? "" : code.error().sentence())).c_str());
                m_programs.emplace(family.id, std::move(*code));
            }
        QVERIFY(m_programs.size() > 30);
    }

    void everyPtxInstructionHasASentence()
    {
        std::set<std::string> names;
        for (const auto& [family, code] : m_programs)
            for (const auto& [name, help] : explainPtxText(code.ptx)) {
                QVERIFY2(!help.sentence.empty(), name.c_str());
                names.insert(name);
            }
        for (const char* name : {"ld.param.u64", "fma.rn.f32", "setp.ge.s32", "bra", "ret"})
            QVERIFY2(names.contains(name), name);
    }

    void everySassInstructionHasASentence()
    {
        if (const auto tool = findCudaTool("nvdisasm"); !tool)
            QSKIP(tool.error().sentence().c_str());
        std::set<std::string> unknown, seen;
        const test::DrawnShare share(3);
        bool shuffled = false; // One program with a shuffle always.
        for (const auto& [family, code] : m_programs) {
            const bool shuffles = code.ptx.find("shfl.") != std::string::npos;
            if (!share.has(family) && (shuffled || !shuffles))
                continue;
            shuffled = shuffled || shuffles;
            const auto sass = sassOf(code, "sm_90", runner);
            QVERIFY2(sass, sass ? "" : sass.error().sentence().c_str());
            QVERIFY2(!sass->controlsUnknown, family.c_str());
            for (const Instruction& instruction : instructionsOf(*sass)) {
                const SassOpcode* opcode = findSassOpcode(instruction.name);
                seen.emplace(instruction.name.substr(0, instruction.name.find('.')));
                if (!opcode) {
                    unknown.insert(instruction.line);
                    continue;
                }
                // What has a fixed latency needs no barrier for its result.
                QVERIFY2(opcode->latency != SassLatency::Fixed || instruction.control.writeBarrier < 0,
                         instruction.line.c_str());
            }
        }
        std::string all;
        for (const std::string& line : unknown)
            all += line + "\n";
        QVERIFY2(unknown.empty(), all.c_str());
        for (const char* name : {"LDG", "STG", "FFMA", "IMAD", "ISETP", "BRA", "EXIT", "SHFL"})
            QVERIFY2(seen.contains(name), name);
    }

    // A load from memory raises a barrier, and what uses its result first waits for it.
    void loadsAreWaitedFor_data()
    {
        QTest::addColumn<QString>("architecture");
        for (const char* name : {"sm_80", "sm_90", "sm_100", "sm_120"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void loadsAreWaitedFor()
    {
        if (const auto tool = findCudaTool("nvdisasm"); !tool)
            QSKIP(tool.error().sentence().c_str());
        QFETCH(QString, architecture);
        const auto sass = sassOf(m_programs.at("S1"), architecture.toStdString(), runner);
        QVERIFY2(sass, sass ? "" : sass.error().sentence().c_str());
        QVERIFY(!sass->controlsUnknown);
        const auto instructions = instructionsOf(*sass);
        int checked = 0;
        for (std::size_t i = 0; i < instructions.size(); ++i) {
            const Instruction& load = instructions[i];
            if (!load.name.starts_with("LDG"))
                continue;
            QVERIFY2(load.control.writeBarrier >= 0, load.line.c_str());
            const auto blank = load.line.find(' ', load.line.find("LDG"));
            const std::string destination = load.line.substr(blank + 1, load.line.find(',') - blank - 1);
            // The next instruction of the same stretch that reads the register has waited, or one before it
            // has.
            bool waited = false;
            for (std::size_t j = i + 1; j < instructions.size(); ++j) {
                const Instruction& next = instructions[j];
                waited = waited || (next.control.waits >> load.control.writeBarrier & 1u) != 0;
                const auto comma = next.line.find(',');
                if (next.name.starts_with("BRA") || next.name.starts_with("EXIT") ||
                    comma == std::string::npos)
                    break;
                const QRegularExpression reads(
                    QStringLiteral("\\b%1\\b").arg(QString::fromStdString(destination)));
                if (reads.match(QString::fromStdString(next.line.substr(comma))).hasMatch()) {
                    QVERIFY2(waited, (load.line + "\n" + next.line).c_str());
                    ++checked;
                    break;
                }
            }
        }
        QVERIFY(checked > 1);
    }
};

QTEST_GUILESS_MAIN(ProgramHelpTest)
#include "tst_program_help.moc"

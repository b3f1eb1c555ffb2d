// SPDX-License-Identifier: Apache-2.0
// Whatever passes the gate runs to a result: programs changed at random (opcodes of the table, operands,
// numbers, lines) never make the simulator fail, whatever becomes of them. A drawn third of them runs.
#include "base/hash.h"
#include "ptx/op.h"
#include "ptx_text.h"
#include "tests/drawn_share.h"

#include <QTest>
#include <algorithm>
#include <random>

using namespace sparserl;
using namespace sparserl::harness;

class TestFuzz : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void changedPrograms_data();
    void changedPrograms();
    void everyOpcodeWithOddOperands();
    void launches();
};

namespace {

using Random = std::mt19937_64;

template <class T>
const T& any(Random& random, const std::vector<T>& of)
{
    return of[random() % of.size()];
}

/// A line of PTX cut into words, and what is between them.
std::vector<std::string> tokens(const std::string& line)
{
    std::vector<std::string> result;
    auto inWord = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '%' || c == '_' || c == '.' || c == '$' ||
               c == ':';
    };
    for (std::size_t i = 0; i < line.size();) {
        std::size_t end = i + 1;
        while (end < line.size() && inWord(line[i]) && inWord(line[end]))
            ++end;
        result.push_back(line.substr(i, end - i));
        i = end;
    }
    return result;
}

class Mutator
{
public:
    Mutator(std::string text, std::uint64_t seed)
        : m_random(seed)
    {
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);) {
            line.resize(std::min(line.size(), line.find("//")));
            if (line.find(".loc\t") != std::string::npos || line.find(".file") != std::string::npos)
                continue;
            m_lines.push_back(line);
            for (const std::string& token : tokens(line)) {
                if (token.front() == '%')
                    m_registers.push_back(token);
            }
        }
        m_registers.push_back("%r1");
        for (const ptx::OpcodeForm& form : ptx::allOpcodes())
            m_opcodes.push_back(form.text);
    }
    std::string changed()
    {
        std::vector<std::string> lines = m_lines;
        for (int n = 1 + static_cast<int>(m_random() % 3); n > 0; --n)
            change(lines);
        std::string text;
        for (const std::string& line : lines)
            text += line + "\n";
        return text;
    }

private:
    void change(std::vector<std::string>& lines)
    {
        const std::size_t at = m_random() % lines.size();
        std::vector<std::string> parts = tokens(lines[at]);
        if (parts.empty())
            return;
        const auto isCode =
            lines[at].find(';') != std::string::npos && lines[at].find(".reg") == std::string::npos;
        static const std::vector<std::string> numbers{"0",
                                                      "1",
                                                      "-1",
                                                      "2",
                                                      "3",
                                                      "15",
                                                      "16",
                                                      "31",
                                                      "32",
                                                      "33",
                                                      "63",
                                                      "64",
                                                      "127",
                                                      "255",
                                                      "256",
                                                      "1023",
                                                      "4096",
                                                      "65535",
                                                      "65536",
                                                      "2147483647",
                                                      "-2147483648",
                                                      "4294967295",
                                                      "4294967296",
                                                      "9223372036854775807",
                                                      "-9223372036854775808",
                                                      "0f7F800000",
                                                      "0f00000001",
                                                      "0dFFF0000000000000"};
        switch (m_random() % 8) {
        case 0: // an opcode of the table
            for (std::string& part : parts) {
                if (isCode && ptx::findOpcode(part)) {
                    part = any(m_random, m_opcodes);
                    break;
                }
            }
            break;
        case 1: // an opcode that begins alike
            for (std::string& part : parts) {
                if (!isCode || !ptx::findOpcode(part))
                    continue;
                const std::string stem = part.substr(0, part.find('.'));
                std::vector<std::string> alike;
                std::copy_if(m_opcodes.begin(), m_opcodes.end(), std::back_inserter(alike),
                             [&](const std::string& text) { return text.substr(0, text.find('.')) == stem; });
                part = any(m_random, alike);
                break;
            }
            break;
        case 2:
        case 3: // an operand
            for (int tries = 0; tries < 8 && isCode; ++tries) {
                std::string& part = parts[m_random() % parts.size()];
                if (part.front() != '%' && !std::isdigit(static_cast<unsigned char>(part.front())))
                    continue;
                part = m_random() % 3 ? any(m_random, m_registers) : any(m_random, numbers);
                break;
            }
            break;
        case 4: // a number, also in declarations and heads
            for (int tries = 0; tries < 8; ++tries) {
                std::string& part = parts[m_random() % parts.size()];
                if (!std::isdigit(static_cast<unsigned char>(part.front())))
                    continue;
                part = any(m_random, numbers);
                break;
            }
            break;
        case 5: // twice
            lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(m_random() % lines.size()), lines[at]);
            return;
        case 6: // away
            lines[at].clear();
            return;
        default: // under a predicate
            if (isCode && parts.size() > 2 && lines[at].find('@') == std::string::npos)
                lines[at] = "@%p1 " + lines[at];
            return;
        }
        lines[at].clear();
        for (const std::string& part : parts)
            lines[at] += part;
    }

    Random m_random;
    std::vector<std::string> m_lines, m_registers, m_opcodes;
};

/// Runs every entry of the module with arrays and numbers that fit its parameters. An exception is an error.
int runEverything(const std::string& text, std::uint64_t seed)
{
    auto module = ptx::parse(text);
    if (!module || ptx::firstUnsupported(*module))
        return 0;
    int executed = 0;
    for (const ptx::Function& function : module->functions) {
        if (!function.entry || function.declaration)
            continue;
        for (const Checks checks : {Checks::None, Checks::Counters, Checks::All}) {
            Bench bench(text);
            const int x = bench.x(64), y = bench.y(64),
                      s = bench.buffer("s", BufferRole::Scratch, ElementType::I32, 64, true);
            std::vector<std::int32_t> table(65);
            for (int i = 0; i < 65; ++i)
                table[i] = std::min(i, 63);
            const int m = bench.matrix("csr.row_ptr", table);
            std::vector<BoundArgument> arguments;
            const int arrays[] = {m, m, x, x, y, s};
            int next = static_cast<int>(seed % 3);
            for (const ptx::Param& param : function.params)
                arguments.push_back(param.bytes == 8 ? array(arrays[std::min(next++, 5)]) : number(48));
            bench.launch(function.name, 3, 64, arguments, 256);
            bench.request.stepBudget = 3000;
            bench.run(std::vector<float>(64, 1.0f), seed, checks);
            ++executed;
        }
    }
    return executed;
}

} // namespace

void TestFuzz::changedPrograms_data()
{
    QTest::addColumn<QByteArray>("file");
    for (const char* file : {"control.ptx", "csr_scalar.ptx", "csr_warp.ptx", "ell.ptx", "faults.ptx",
                             "last_block.ptx", "syncwarp_staging.ptx"})
        QTest::newRow(file) << QByteArray(file);
}

void TestFuzz::changedPrograms()
{
    QFETCH(QByteArray, file);
    const std::string text = fixture(file.toStdString());
    Mutator mutator(text, 20260101 + static_cast<std::uint64_t>(file.size()));
    int executed = 0, tried = 0;
    const int count = text.size() > 20000 ? 80 : 200;
    const test::DrawnShare share(3);
    std::string current;
    try {
        for (int i = 0; i < count; ++i) {
            current = mutator.changed();
            if (!share.has(std::to_string(i)))
                continue;
            ++tried;
            executed += runEverything(current, static_cast<std::uint64_t>(i));
        }
    } catch (const std::exception& problem) {
        QFAIL((std::string(problem.what()) + "\n" + current).c_str());
    }
    QVERIFY2(executed > tried / 4,
             std::to_string(executed).c_str()); // most are refused before; enough are not
}

void TestFuzz::everyOpcodeWithOddOperands()
{
    // Each form with operands drawn from everything there is, until some are accepted.
    const std::vector<std::string> wide{"%a0", "%a1", "%a3", "%a4", "v", "sh", "0", "-1", "%d0"},
        narrow{"%r0",
               "%r1",
               "%r4",
               "%r5",
               "%r5",
               "1",
               "-1",
               "0x80000000",
               "37",
               "%f0",
               "%f1",
               "0f7FC00000",
               "%tid.x",
               "%h0",
               "%h1",
               "%d1",
               "%a5",
               "%p1",
               "!%p2",
               "_",
               "%r6|%p3",
               "{%r7, %r7}",
               "{%f2, %f3, %f2, _}",
               "{%a6, %a7}",
               "{%r7, %r8, %r9, %r10}",
               "{%f4, %f5, %f6, %f7}",
               "{%h2, %h3}",
               "{%d2, %d3}",
               "{%r11}"},
        addresses{"[%a0]", "[%a1+4]",  "[%a1+-4]", "[%a3]", "[%a4+9223372036854775807]",
                  "[v]",   "[v+12]",   "[v+16]",   "[sh]",  "[sh+60]",
                  "[%r4]", "[%r4+64]", "[c]",      "[c+8]", "[g]",
                  "[n]",   "[x]",      "[%a8]"};
    int accepted = 0, executed = 0;
    const test::DrawnShare share(3);
    std::string current;
    try {
        for (const ptx::OpcodeForm& form : ptx::allOpcodes()) {
            if (!share.has(form.text))
                continue;
            Random random(seedFrom(form.text)); // The same operands, whichever forms are drawn.
            for (int attempt = 0, taken = 0; attempt < 60 && taken < 2; ++attempt) {
                std::string line = form.text + " ";
                const int count = static_cast<int>(random() % 6);
                const bool memory = form.op == ptx::Op::Ld || form.op == ptx::Op::St ||
                                    form.op == ptx::Op::Atom || form.op == ptx::Op::Red ||
                                    form.op == ptx::Op::CpAsync || form.op == ptx::Op::LdMatrix ||
                                    form.op == ptx::Op::Prefetch;
                for (int i = 0; i < count; ++i)
                    line += (i ? ", " : "") + (memory && random() % 2 ? any(random, addresses)
                                               : random() % 4         ? any(random, narrow)
                                                                      : any(random, wide));
                current = kernelText(
                    ".local .align 16 .b8 v[16]; .shared .align 16 .b8 sh[64]; mov.u64 %a3, v; "
                    "cvta.local.u64 %a3, %a3; cvta.shared.u64 %a4, sh; cvt.u32.u64 %r4, %a4; mov.u32 %r5, 3; "
                    "setp.eq.u32 %p1, %r1, 5; setp.lt.u32 %p2, %r1, 40;\n" +
                        std::string(random() % 2 ? "" : "@%p2 ") + line + ";\n",
                    ".const .align 8 .b8 c[16] = {1, 2, 3};\n.global .align 8 .b8 g[16] = {1, 2, 3};\n");
                auto module = ptx::parse(current);
                if (!module || ptx::firstUnsupported(*module))
                    continue;
                ++taken;
                ++accepted;
                executed += runEverything(current, random());
            }
        }
    } catch (const std::exception& problem) {
        QFAIL((std::string(problem.what()) + "\n" + current).c_str());
    }
    QVERIFY2(accepted > (share.everything() ? 400 : 80) && executed >= 3 * accepted,
             std::to_string(accepted).c_str());
}

void TestFuzz::launches()
{
    const std::int64_t sizes[] = {
        0, 1, -1, 3, 32, 33, 1024, 1025, 65535, 65536, 2147483647, 2147483648, std::int64_t(1) << 40};
    for (const std::int64_t grid : sizes) {
        for (const std::int64_t threads : sizes) {
            for (const std::int64_t shared :
                 {std::int64_t(0), std::int64_t(48) << 10, std::int64_t(227) << 10, std::int64_t(-4),
                  std::int64_t(1) << 40}) {
                Bench bench = kernelBench(kernelText(""), grid, threads, 16, shared);
                bench.request.stepBudget = 20000;
                const ExecutionResult result = bench.run(std::vector<float>(16, 1.0f));
                const bool possible = grid > 0 && grid < 100 && threads > 0 && threads <= 1024 &&
                                      shared >= 0 && shared <= (227 << 10);
                QVERIFY(!possible || !result.fault);
                QVERIFY(possible || result.fault || grid * ((threads + 31) / 32) <= 20000);
            }
        }
    }
}

QTEST_GUILESS_MAIN(TestFuzz)
#include "tst_fuzz.moc"

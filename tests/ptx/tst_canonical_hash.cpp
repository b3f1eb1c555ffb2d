// SPDX-License-Identifier: Apache-2.0
// The hash that programs are remembered under: different wherever something else could run.
#include "ptx/module.h"
#include "ptx/tokens.h"

#include <QTest>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace sparserl;

namespace {

const std::string head = ".version 9.0\n.target sm_80\n.address_size 64\n";

std::string kernel(const std::string& body, const std::string& behind = {})
{
    return head +
           ".visible .entry k(.param .u64 a)\n{\n.reg .pred %p<3>; .reg .b32 %r<9>; .reg .f32 %f<9>;\n" +
           body + "\nret;\n}\n" + behind;
}

void write(std::ostream& out, const ptx::Operand& o)
{
    out << static_cast<int>(o.kind) << ' ' << o.index << ' ' << static_cast<int>(o.special) << ' ' << o.bits
        << ' ' << o.floatBytes << ' ' << o.name << ' ' << o.variable << ' ' << o.offset << o.negated << o.dual
        << '(';
    for (const auto& element : o.elements)
        write(out, element);
    out << ')';
}

void write(std::ostream& out, const std::vector<ptx::Param>& params)
{
    for (const auto& p : params)
        out << p.name << ' ' << static_cast<int>(p.type) << ' ' << p.elements << ' ' << p.array << ' '
            << p.alignment << ' ' << p.bytes << ',';
}

void write(std::ostream& out, const std::vector<ptx::Variable>& variables)
{
    for (const auto& v : variables) {
        out << static_cast<int>(v.space) << ' ' << v.name << ' ' << static_cast<int>(v.type) << ' '
            << v.alignment << ' ' << v.bytes << ' ' << v.external << v.initialAddresses << ':';
        for (const auto byte : v.initial)
            out << static_cast<int>(byte) << ' ';
    }
}

/// Everything of a module that can run, and nothing of where it stands.
std::string contents(const ptx::Module& module)
{
    std::ostringstream out;
    out << module.version << ' ' << module.target << ' ' << module.addressSize << '\n';
    write(out, module.variables);
    for (const auto& f : module.functions) {
        out << '\n' << f.name << f.entry << f.external << f.declaration << '(';
        write(out, f.results);
        write(out, f.params);
        for (const auto& size : {f.maxntid, f.reqntid})
            for (const auto extent : size)
                out << extent << ' ';
        out << f.minnctapersm << ' ' << f.maxnreg << ' ';
        for (const auto& directive : f.directives)
            out << directive << ' ';
        write(out, f.variables);
        for (const auto& r : f.registers)
            out << r.name << ' ' << static_cast<int>(r.type) << ' ';
        for (const auto& i : f.instructions) {
            out << '\n' << i.opcode << ' ' << i.guard << i.guardNegated;
            for (const auto& operand : i.operands)
                write(out, operand);
        }
    }
    return out.str();
}

/// Different texts with one hash must be one module, where they are modules at all.
bool mayShareAHash(const std::string& a, const std::string& b)
{
    const auto first = ptx::parse(a), second = ptx::parse(b);
    return first && second && contents(*first) == contents(*second);
}

std::vector<std::string> fixtures()
{
    std::vector<std::string> texts;
    for (const auto& entry : std::filesystem::directory_iterator(SPARSERL_SOURCE_DIR "/tests/device/data"))
        if (entry.path().extension() == ".ptx") {
            std::ifstream file(entry.path());
            std::stringstream text;
            text << file.rdbuf();
            texts.push_back(text.str());
        }
    std::sort(texts.begin(), texts.end());
    return texts;
}

} // namespace

class CanonicalHashTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sameHash_data();
    void sameHash();
    void otherHash_data();
    void otherHash();
    void oneTokenMutated();
};

void CanonicalHashTest::sameHash_data()
{
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* name, const std::string& text) {
        QTest::newRow(name) << QByteArray::fromStdString(text);
    };
    const std::string add = "add.s32 %r1, %r2, %r3;";
    row("layout and comments", kernel("add.s32   %r1, %r2,\t%r3; // here\n/* and\nthere */"));
    row("a line", kernel(".loc 1 5 3\n" + add));
    row("an inlined line", kernel(".loc 1 5 3, function_name $L, inlined_at 1 2 3\n" + add));
    row("with an offset", kernel(".loc 1 5 3, function_name $L+7, inlined_at 1 2 3 " + add));
    row("code on the line", kernel(".loc 1 5 3 " + add));
    row("files", kernel(add, ".file 1 \"program.cu\"\n.file 2 \"b.h\", 123, 456\n"));
    row("names", kernel(add, ".section .debug_str\n{\n$L:\n.b8 95,0\n.b64 $L+4\n.b32 $L,-1\n}\n"));
}

void CanonicalHashTest::sameHash()
{
    QFETCH(QByteArray, text);
    const auto plain = kernel("add.s32 %r1, %r2, %r3;");
    QCOMPARE(ptx::canonicalHash(text.toStdString()), ptx::canonicalHash(plain));
}

void CanonicalHashTest::otherHash_data()
{
    QTest::addColumn<QByteArray>("a");
    QTest::addColumn<QByteArray>("b");
    const auto row = [](const char* name, const std::string& a, const std::string& b) {
        QTest::newRow(name) << QByteArray::fromStdString(kernel(a)) << QByteArray::fromStdString(kernel(b));
    };
    const std::string one = "mul.f32 %f1, %f1, 0f3F800000;", zero = "mul.f32 %f1, %f1, 0f00000000;";
    row("behind .loc", ".loc 1 1 1 " + one, ".loc 1 1 1 " + zero);
    row("behind .loc and a comment", ".loc 1 1 1 /* */ " + one, ".loc 1 1 1 /* */ " + zero);
    row("behind .loc and a carriage return", ".loc 1 1 1\r" + one, ".loc 1 1 1\r" + zero);
    row("behind an inlined .loc", ".loc 1 1 1, function_name $L, inlined_at 1 1 1 " + one,
        ".loc 1 1 1, function_name $L, inlined_at 1 1 1 " + zero);
    row("behind two of them", ".loc 1 1 1 .loc 2 2 2 " + one, ".loc 1 1 1 .loc 2 2 2 " + zero);
    row("behind .file", ".file 7 \"x\" " + one, ".file 7 \"x\" " + zero);
    row("behind .file with a date", ".file 7 \"x\", 1, 2 " + one, ".file 7 \"x\", 1, 2 " + zero);
    row("a fourth number", ".loc 1 1 1 1", ".loc 1 1 1 2");
    row("an attribute that is none", ".loc 1 1 1, prologue_end " + one, ".loc 1 1 1, prologue_end " + zero);
    row("in a section", ".section .debug_x { " + one + " }", ".section .debug_x { " + zero + " }");
    row("in a section of code", ".section .text { $a: }", ".section .text { $b: }");
    row("behind a section", ".section .debug_x { $a: } " + one, ".section .debug_x { $a: } " + zero);
    row("one register", "add.s32 %r1, %r2, %r3;", "add.s32 %r1, %r2, %r4;");
    row("a blank in a name", "add.s32 %r1, %r2, %r3;", "add.s32 %r1, %r 2, %r3;");
    row("a string", ".pragma \"nounroll\";", ".pragma \"used\";");
    row("a string and a word", ".pragma \"a\";", ".pragma a;");
}

void CanonicalHashTest::otherHash()
{
    QFETCH(QByteArray, a);
    QFETCH(QByteArray, b);
    QVERIFY(ptx::canonicalHash(a.toStdString()) != ptx::canonicalHash(b.toStdString()));
}

/// Every token of real PTX is left out, doubled, exchanged, or has a directive about lines put before it.
void CanonicalHashTest::oneTokenMutated()
{
    auto texts = fixtures();
    QVERIFY(!texts.empty());
    texts.push_back(kernel(".loc 1 5 3, function_name $L+7, inlined_at 1 2 3 add.s32 %r1, %r2, %r3;\n"
                           ".loc 2 1 1\nmul.f32 %f1, %f2, 0f3F800000; @%p1 st.global.u32 [a], %r1;",
                           ".file 1 \"program.cu\", 1, 2\n.section .debug_str\n{\n$L:\n.b8 95,0\n}\n"));
    const std::vector<std::string> others{"1", ",", ";", ".loc", "%r1", "{", "\"x\"", "add.s32", "+"};
    int shared = 0, told = 0;
    for (const auto& text : texts) {
        const auto hash = ptx::canonicalHash(text);
        const auto tokens = ptx::tokenize(text);
        QVERIFY(tokens.has_value());
        // Every token of a short text, a sample of a long one.
        const std::size_t step = std::max<std::size_t>(1, tokens->size() / 250);
        for (std::size_t i = 0; i + 1 < tokens->size(); i += step) {
            const auto& token = (*tokens)[i];
            const bool string = token.kind == ptx::Token::Kind::String;
            const auto at = static_cast<std::size_t>(token.text.data() - text.data()) - (string ? 1 : 0);
            const auto size = token.text.size() + (string ? 2 : 0);
            const std::string self = text.substr(at, size);
            std::vector<std::string> instead{"", self + " " + self, ".loc 1 1 1 " + self,
                                             ".loc 1 1 1, function_name $x, inlined_at 1 1 1 " + self};
            instead.push_back(others[i / step % others.size()]);
            for (const auto& word : instead) {
                if (word == self)
                    continue;
                std::string other = text;
                other.replace(at, size, " " + word + " ");
                if (ptx::canonicalHash(other) != hash) {
                    ++told;
                    continue;
                }
                ++shared;
                // A directive between two words of a statement makes a text that nobody reads.
                if (ptx::parse(other).has_value())
                    QVERIFY2(mayShareAHash(text, other), other.substr(at > 60 ? at - 60 : 0, 160).c_str());
            }
        }
    }
    qInfo("%d told apart, %d of them equal", told, shared);
    QVERIFY(told > 1000 && shared > 100);
}

QTEST_GUILESS_MAIN(CanonicalHashTest)
#include "tst_canonical_hash.moc"

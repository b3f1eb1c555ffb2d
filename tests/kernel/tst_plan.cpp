// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"
#include "base/rng.h"
#include "kernel/plan.h"

#include <QTest>
#include <bit>
#include <fmt/format.h>

using namespace sparserl;

namespace {

const std::string code = "extern \"C\" __global__ void k(int n) {}\n";

struct Bad
{
    const char* text;
    int line;
    const char* reason; ///< Part of it.
};

// clang-format off
const Bad badPlans[] = {
    {"", 1, "no plan"},
    {"extern \"C\" __global__ void k() {}\n", 1, "no plan"},
    {"//! launch k<<<1, 1>>>(rows)\n", 1, "before the task"},
    {"//! task spmx\n", 1, "unknown task"},
    {"//! task spmm f64 f64\n", 1, "one too many"},
    {"//! task spmv f64 f64\n", 1, "one too many"},
    {"//! task spmv f32 f32\n", 1, "one too many"},
    {"//! task spmv i32\n", 1, "unknown element type"},
    {"//! task f32\n", 1, "unknown task"},
    {"//! task\n", 1, "expected spmv, spmm or operator"},
    {"//! task spmv\n//! task spmv\n", 2, "second task"},
    {"//! task spmv // one\n", 1, "comment cannot follow"},
    {"//! task spmv\n", 1, "no launch line"},
    {"//! task spmv\n//! frobnicate x\n", 2, "no plan line"},
    {"//! task spmv\n//!\n", 2, "expected a plan line"},
    {"//! task spmv\n//! const A = 1\n//! const A = 2\n", 3, "defined twice"},
    {"//! task spmv\n//! const A = 01\n", 2, "leading zero"},
    {"//! task spmv\n//! const A = 0x10\n", 2, "not a decimal integer"},
    {"//! task spmv\n//! const A = 99999999999999999999\n", 2, "64 bits"},
    {"//! task spmv\n//! const A = rows\n", 2, "earlier consts only"},
    {"//! task spmv\n//! const A = csr.nnz\n", 2, "earlier consts only"},
    {"//! task spmv\n//! const A = B1\n//! const B1 = 1\n", 2, "earlier consts only"},
    {"//! task spmv\n//! const A = 3 - 4\n", 2, "negative"},
    {"//! task spmv\n//! const A = 1 / 0\n", 2, "division by zero"},
    {"//! task spmv\n//! const A = 9223372036854775807 + 1\n", 2, "64-bit"},
    {"//! task spmv\n//! const A = (1\n", 2, "expected ')'"},
    {"//! task spmv\n//! const A = 1 2\n", 2, "one too many"},
    {"//! task spmv\n//! const int = 1\n", 2, "reserved"},
    {"//! task spmv\n//! const threadIdx = 1\n", 2, "reserved"},
    {"//! task spmv\n//! const __a = 1\n", 2, "reserved"},
    {"//! task spmv\n//! const _Ab = 1\n", 2, "reserved"},
    {"//! task spmv\n//! const NDEBUG = 1\n", 2, "reserved"},
    {"//! task spmv\n//! const defined = 1\n", 2, "reserved"},
    {"//! task spmv\n//! const rows = 1\n", 2, "reserved"},
    {"//! task spmv\n//! const dense_cols = 1\n", 2, "reserved"},
    {"//! task spmv\n//! const min = 1\n", 2, "reserved"},
    {"//! task spmv\n//! part inf = rows with length in [0, 4)\n", 2, "reserved"},
    {"//! task spmv\n//! part p = rows with length in [4, 4)\n", 2, "empty"},
    {"//! task spmv\n//! part p = rows of length in [4, 5)\n", 2, "instead of 'with'"},
    {"//! task spmv\n//! part p = rows with length in [0, 4)\n//! part q = rows with length in [3, inf)\n", 3, "overlap"},
    {"//! task spmv\n//! part p = rows with length in [0, inf)\n//! part q = rows with length in [9, 10)\n", 3, "overlap"},
    {"//! task spmv\n//! part p = rows with length in [0, 4]\n", 2, "expected ')'"},
    {"//! task spmv\n//! format foo\n", 2, "unknown format"},
    {"//! task spmv\n//! format sell(slice=32)\n", 2, "wrong parameters"},
    {"//! task spmv\n//! format sell(slice=32, sigma=0)\n", 2, "out of range"},
    {"//! task spmv\n//! format sell(slice=32, sigma=2147483648)\n", 2, "out of range"},
    {"//! task spmv\n//! format sell(slice=32, slice=32)\n", 2, "given twice"},
    {"//! task spmv\n//! format sell(slice=32, sigma=1, x=1)\n", 2, "wrong parameters"},
    {"//! task spmv\n//! format ell()\n", 2, "expected the name of a format parameter"},
    {"//! task spmv\n//! format ell\n//! format ell\n", 3, "defined twice"},
    {"//! task spmv\n//! format csr\n//! format csr\n", 3, "defined twice"},
    {"//! task spmv\n//! format csr = ell\n", 2, "reserved"},
    {"//! task spmv\n//! format hyb(quantile=101)\n", 2, "per cent"},
    {"//! task spmv\n//! format hyb(width=4, quantile=50)\n", 2, "wrong parameters"},
    {"//! task spmv\n//! format csr5(sigma=33)\n", 2, "more than 32"},
    {"//! task spmv\n//! format ell of short\n", 2, "not a part"},
    {"//! task spmv\n//! part p = rows with length in [0, 4)\n//! format dia of p\n", 3, "whole matrix"},
    {"//! task spmv\n//! part p = rows with length in [0, 4)\n//! format csr of p\n", 3, "name the format"},
    {"//! task spmv\n//! format ell\n//! const A = 1\n", 3, "out of order"},
    {"//! task spmv\n//! require rows\n", 2, "expected a comparison (==, !=, <, <=, > or >=), found the end of the line"},
    {"//! task spmv\n//! require rows = 4\n", 2, "expected a comparison"},
    {"//! task spmv\n//! require rows == \n", 2, "expected"},
    {"//! task spmv\n//! require 0 < rows < 9\n", 2, "'<' is one too many"},
    {"//! task spmv\n//! require x == 1\n", 2, "not a number"},
    {"//! task spmv\n//! require dense_cols == 8\n", 2, "spmm only"},
    {"//! task spmv\n//! require ell.width < 9\n", 2, "neither a format nor a part"},
    {"//! task spmv\n//! require rows == 1\n//! format ell\n", 3, "out of order"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(rows)\n//! require rows == 1\n", 3, "out of order"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(rows == 1)\n", 2, "expected"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(0.5)\n", 2, "'0.5' has no type; a float32 ends in f"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(1e5)\n", 2, "has no type"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(csr.6)\n", 2, "expected a count after the dot, found '6'"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(1f)\n", 2, "'1f' is not a decimal integer"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(1.2.3f)\n", 2, "'1.2.3f' is not a real number"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(1e-f)\n", 2, "'1e-f' is not a real number"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(1.5half)\n", 2, "is not a real number"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(0.5ff)\n", 2, "is not a real number"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(3.5e38f)\n", 2, "3.5e38f does not fit into a float32"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(-1e999f)\n", 2, "1e999f does not fit into a float32"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(1e-60f)\n", 2, "1e-60f does not fit into a float32"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(0.5f + 1)\n", 2, "0.5f is a real number, which can only be an argument by itself"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(alpha + 1)\n", 2, "'alpha' is a real number, which can only be an argument by itself"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(-beta)\n", 2, "'beta' is a real number, which can only be an argument by itself"},
    {"//! task spmv\n//! launch k<<<beta, 1>>>(x)\n", 2, "'beta' is a real number"},
    {"//! task spmv\n//! prepare k<<<1, 1>>>(alpha)\n", 2, "a prepare call cannot use 'alpha', which differs from call to call"},
    {"//! task spmv\n//! zero y\n//! launch k<<<1, 1>>>(y, beta)\n", 3, "'beta' needs what 'y' holds before the call; leave out the line 'zero y'"},
    {"//! task spmm\n//! zero C\n//! launch k<<<1, 1>>>(C, beta)\n", 3, "'beta' needs what 'C' holds before the call; leave out the line 'zero C'"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(1 + 0.5f)\n", 2, "can only be an argument by itself"},
    {"//! task spmv\n//! launch k<<<1, 1>>>((0.5f))\n", 2, "can only be an argument by itself"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(--0.5f)\n", 2, "can only be an argument by itself"},
    {"//! task spmv\n//! launch k<<<2.0f, 1>>>(rows)\n", 2, "can only be an argument by itself"},
    {"//! task spmv\n//! const A = 0.5f\n", 2, "can only be an argument by itself"},
    {"//! task spmv\n//! format sell(slice=0.5f, sigma=1)\n", 2, "needs an integer, found '0.5f'"},
    {"//! task spmv\n//! scratch s f16[rows]\n", 2, "unknown type"},
    {"//! task spmv\n//! scratch s float[rows]\n", 2, "unknown type 'float' (here f32)"},
    {"//! task spmv\n//! scratch s f32\n", 2, "expected '['"},
    {"//! task spmv\n//! scratch x f32[rows]\n", 2, "reserved"},
    {"//! task spmv\n//! prepared s f32[rows] zero\n", 2, "one too many"},
    {"//! task spmv\n//! zero x\n", 2, "only the output 'y'"},
    {"//! task spmm\n//! zero y\n", 2, "only the output 'C'"},
    {"//! task spmv\n//! zero y\n//! zero y\n", 3, "zeroed twice"},
    {"//! task spmv\n//! launch k<<<1>>>(rows)\n", 2, "expected ','"},
    {"//! task spmv\n//! launch k<<<1, 1>>>()\n", 2, "expected a number or a name"},
    {"//! task spmv\n//! launch k<<1, 1>>(rows)\n", 2, "expected '<<<'"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(rows) extra\n", 2, "one too many"},
    {"//! task spmv\n//! launch k<<<dim3(1, 2, 3, 4), 1>>>(rows)\n", 2, "at most three"},
    {"//! task spmv\n//! launch k<<<dim3(), 1>>>(rows)\n", 2, "expected a number or a name"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(nowhere)\n", 2, "not defined"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(sell.val)\n", 2, "neither a format nor a part"},
    {"//! task spmv\n//! format ell\n//! launch k<<<1, 1>>>(ell.row)\n", 3, "has no 'row'"},
    {"//! task spmv\n//! format ell\n//! launch k<<<1, 1>>>(ell)\n", 3, "is a format"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(csr)\n", 2, "is a format"},
    {"//! task spmv\n//! part p = rows with length in [0, 4)\n//! launch k<<<1, 1>>>(p)\n", 3, "is a part"},
    {"//! task spmv\n//! part p = rows with length in [0, 4)\n//! launch k<<<1, 1>>>(p.width)\n", 3, "has no 'width'"},
    {"//! task spmv\n//! launch k<<<csr.val, 1>>>(rows)\n", 2, "is an array"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(B)\n", 2, "does not exist in spmv"},
    {"//! task spmm\n//! launch k<<<1, 1>>>(x)\n", 2, "does not exist in spmm"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(dense_cols)\n", 2, "spmm only"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(x + 1)\n", 2, "not a number"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(min(rows))\n", 2, "takes 2 arguments"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(pow2_ceil(rows, 2))\n", 2, "takes 1 argument"},
    {"//! task spmv\n//! prepare k<<<1, 1>>>(x)\n", 2, "prepare call cannot use 'x'"},
    {"//! task spmv\n//! prepare k<<<1, 1>>>(y)\n", 2, "prepare call cannot use 'y'"},
    {"//! task spmv\n//! scratch s f32[1]\n//! prepare k<<<1, 1>>>(s)\n", 3, "prepare call cannot use 's'"},
    {"//! task spmv\n//! prepare k<<<1, 1>>>(rows)\nint a;\n", 3, "no launch"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(rows) \\\n", 2, "backslash"},
    {"//! task spmv\n// note \\\n//! launch k<<<1, 1>>>(rows)\n", 2, "backslash"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(rows)\nint a;\n//! launch k<<<1, 1>>>(rows)\n", 4, "after the first line of code"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(rows)\n/*\n  //! launch k<<<1, 1>>>(rows)\n*/\n", 4, "after the first line of code"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(rows)\nconst char* s = R\"(\n//! x\n)\";\n", 4, "after the first line of code"},
    {"\xef\xbb\xbf//! task spmv\n//! launch k<<<1, 1>>>(rows)\n", 1, "byte order mark"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(rows)\nint a;\rint b;\n", 3, "carriage return"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(rows)\n// \xff\n", 3, "UTF-8"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(rows)\n// \xc0\x80\n", 3, "UTF-8"},
    {"//! task spmv\n//! launch k<<<1, 1>>>(rows)\n// \xed\xa0\x80\n", 3, "UTF-8"},
};

const char* const goodPlans[] = {
    "//! task spmv\n//! launch k<<<1, 1>>>(rows)\n",
    "//!task spmv\r\n\r\n// a note\r\n  //!  launch  k <<< ceil_div ( rows , 128 ) , 128 >>> ( x , y , csr . val )\r\n",
    "//! task spmm\n//! zero C\n//! launch k<<<dim3(rows, dense_cols), dim3(32, 4, 1), 1024>>>(B, C, -1 + 2)\n",
    "//! task spmv\n//! const A = 4\n//! const D = A * (3 - 1) % 5\n//! launch k<<<A, D, max(A, pow2_ceil(7))>>>(D)\n",
    "//! task spmv\n//! part s = rows with length in [0, 8)\n//! part l = rows with length in [8, inf)\n//! format e = ell of s\n"
    "//! format csr\n//! format c = csr of l\n//! launch k<<<s.rows, 32>>>(s.row_ids, e.width, e.col, c.row_ptr, l.nnz)\n",
    "//! task spmv\n//! format hyb(quantile=80)\n//! format csr5(sigma=32)\n//! scratch a f64[rows * 2] zero\n"
    "//! prepared b u16[hyb.width]\n//! zero y\n//! prepare k<<<1, 1>>>(b)\n//! launch k<<<1, 1>>>(a, b, hyb.coo_nnz)\n"
    "//! prepare k<<<1, 1>>>(csr.col, b)\n",
    "//! task spmv\n//! launch k<<<1, 1>>>(0.5f,-1e-5f, - .25f, 2.f, 1e+3f, 3.4028235e38f, 0.0f, -0e9f, rows)\n",
    "//! task spmv\n//! format ell\n//! require ell.width*2<=rows - 9\n//! zero y\n//! require  rows!=3\n//! launch k<<<1, 1>>>(rows)\n",
};
// clang-format on

} // namespace

class TestPlan : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void copiesOfATextShareIt()
    {
        const std::string text = "//! task spmv\n//! launch k<<<1, 1>>>(rows)\n" + code;
        const ProgramText one(text);
        const ProgramText copy = one;
        QCOMPARE(one.text(), text);
        QCOMPARE(one.hash(), sha256Hex(text));
        QCOMPARE(copy.text().data(), one.text().data());
        QCOMPARE(copy.hash().data(), one.hash().data());
        QVERIFY(copy == one && ProgramText(text) == one && ProgramText(text + " ") != one);
        QCOMPARE(ProgramText().text(), std::string());
        QCOMPARE(ProgramText().hash(), sha256Hex(std::string()));
        QVERIFY(ProgramText() == ProgramText(std::string()));
        const auto program = parseProgram(one);
        QVERIFY(program);
        QCOMPARE(program->text.text().data(), one.text().data());
    }

    void refusesWithLineAndReason()
    {
        for (const Bad& bad : badPlans) {
            const auto program = parseProgram(bad.text);
            QVERIFY2(!program, bad.text);
            const std::string shown =
                fmt::format("{} -> {}: {}", bad.text, program.error().line, program.error().reason);
            QVERIFY2(program.error().line == bad.line, shown.c_str());
            QVERIFY2(program.error().reason.find(bad.reason) != std::string::npos, shown.c_str());
        }
    }

    void acceptsTheWholeGrammar()
    {
        for (const char* plan : goodPlans) {
            const auto program = parseProgram(plan + code);
            QVERIFY2(program, program ? "" : fmt::format("{}: {}", plan, program.error().reason).c_str());
        }
    }

    void keepsTextHashAndLineNumbers()
    {
        const std::string text = "//! task spmv\n// note\n//! launch k<<<1, 1>>>(rows)\n" + code;
        const auto program = parseProgram(text);
        QVERIFY(program);
        QCOMPARE(program->text, text);
        QCOMPARE(program->text.hash(), sha256Hex(text));
        QCOMPARE(program->code, "\n// note\n\n" + code);
        QCOMPARE(program->plan.calls.at(0).line, 3);
    }

    /// float32 is what texts of before mean, and may be said.
    void elementTypeOfATask()
    {
        for (const char* task : {"spmv", "spmv f32", "spmm", "spmm f32", "spmv f64", "spmm f64"}) {
            const auto program =
                parseProgram(std::string("//! task ") + task + "\n//! launch k<<<1, 1>>>(rows)\n" + code);
            QVERIFY2(program, task);
            QVERIFY(program->plan.type ==
                    (std::string(task).ends_with("f64") ? ElementType::F64 : ElementType::F32));
            QVERIFY(program->plan.task == (std::string(task).starts_with("spmm") ? Task::SpMM : Task::SpMV));
        }
    }

    void readsEveryField()
    {
        const auto program = parseProgram(
            "//! task spmv\n//! const T = 8\n//! part p = rows with length in [2, inf)\n"
            "//! format s = sell(slice=32, sigma=64) of p\n//! require  rows  -1 >= T  \n//! scratch w "
            "i64[T] zero\n"
            "//! prepare k<<<1, 1>>>(s.val)\n//! launch k<<<dim3(1, 2), 32, 4>>>(w, s.slices, x)\n");
        QVERIFY(program);
        const Plan& plan = program->plan;
        QVERIFY(plan.task == Task::SpMV && plan.zeroed.empty());
        QVERIFY(plan.parts.at(0).low == 2 && !plan.parts.at(0).high);
        QCOMPARE(plan.formats.at(0).spec.parameters.at("sigma"), std::int64_t(64));
        QCOMPARE(plan.formats.at(0).part, std::string("p"));
        const PlanBuffer& buffer = plan.buffers.at(0);
        QVERIFY(buffer.type == ElementType::I64 && buffer.zero && !buffer.prepared);
        QCOMPARE(plan.requirements.size(), std::size_t(1));
        const PlanRequirement& wanted = plan.requirements.front();
        QVERIFY(wanted.comparison == PlanRequirement::Comparison::GreaterOrEqual && wanted.line == 5);
        QVERIFY(wanted.left->op == PlanExpr::Op::Sub && wanted.right->name == "T");
        QCOMPARE(wanted.text, std::string("rows  -1 >= T"));
        QVERIFY(plan.calls.at(0).prepare && !plan.calls.at(1).prepare);
        QCOMPARE(plan.calls.at(1).grid.size(), std::size_t(2));
        QVERIFY(plan.calls.at(1).sharedBytes);
        QCOMPARE(plan.calls.at(1).arguments.at(0).array, std::string("w"));
        QCOMPARE(plan.calls.at(1).arguments.at(1).value->member, std::string("slices"));
    }

    void realLiterals()
    {
        // The nearest float32, wherever that is: also below the normal numbers.
        const std::pair<const char*, std::uint32_t> literals[] = {
            {"0.5f", 0x3f000000},       {"-0.5f", 0xbf000000},  {"- .5f", 0xbf000000},
            {"2.f", 0x40000000},        {"1e-5f", 0x3727c5ac},  {"1E-5f", 0x3727c5ac},
            {"0.1f", 0x3dcccccd},       {"0.0f", 0x00000000},   {"-0.0f", 0x80000000},
            {"0e99f", 0x00000000},      {"1e-45f", 0x00000001}, {"3.40282347e+38f", 0x7f7fffff},
            {"16777217.0f", 0x4b800000}};
        for (const auto& [text, bits] : literals) {
            const auto program =
                parseProgram(fmt::format("//! task spmv\n//! launch k<<<1, 1>>>(rows, {})\n", text));
            QVERIFY2(program, program ? "" : program.error().reason.c_str());
            const PlanArgument& argument = program->plan.calls.at(0).arguments.at(1);
            QVERIFY2(argument.array.empty() && !argument.value, text);
            QVERIFY2(std::bit_cast<std::uint32_t>(argument.real) == bits, text);
        }
    }

    void factors()
    {
        const auto planOf = [](const std::string& lines) {
            const auto program = parseProgram("//! task spmv\n" + lines);
            if (!program)
                qWarning("%s", program.error().reason.c_str());
            return program ? program->plan : Plan{};
        };
        const Plan both = planOf("//! launch k<<<1, 1>>>(x, alpha, y)\n//! launch k<<<1, 1>>>(y, beta)\n");
        QCOMPARE(factorsOf(both), (FactorUse{true, true}));
        const PlanArgument& alpha = both.calls.at(0).arguments.at(1);
        QVERIFY(alpha.factor == Factor::Alpha && alpha.array.empty() && !alpha.value);
        QVERIFY(both.calls.at(1).arguments.at(1).factor == Factor::Beta);
        QVERIFY(!both.calls.at(0).arguments.at(0).factor);
        QCOMPARE(factorsOf(planOf("//! zero y\n//! launch k<<<1, 1>>>(y, alpha)\n")),
                 (FactorUse{true, false}));
        QCOMPARE(factorsOf(planOf("//! launch k<<<1, 1>>>(x, y)\n")), FactorUse{});
        // What a plan defines itself is that, as before there were factors.
        const Plan own = planOf("//! const alpha = 3\n//! scratch beta f32[rows]\n"
                                "//! launch k<<<alpha, 1>>>(alpha, beta, alpha + 1)\n");
        QCOMPARE(factorsOf(own), FactorUse{});
        QVERIFY(own.calls.at(0).arguments.at(0).value);
        QCOMPARE(own.calls.at(0).arguments.at(1).array, std::string("beta"));
        const CallFactors some{2, 3};
        QCOMPARE(FactorUse{}.of(some), CallFactors{});
        QCOMPARE((FactorUse{true, false}.of(some)), (CallFactors{2, 0}));
        QCOMPARE((FactorUse{false, true}.of(some)), (CallFactors{1, 3}));
    }

    void limits()
    {
        std::string text = "//! task spmv\n";
        for (int i = 0; i < 16; ++i)
            text += "//! launch k<<<1, 1>>>(rows)\n";
        QVERIFY(parseProgram(text));
        const auto tooMany = parseProgram(text + "//! prepare k<<<1, 1>>>(rows)\n");
        QVERIFY(!tooMany && tooMany.error().line == 18);

        const auto nested = [](std::size_t depth) {
            return parseProgram("//! task spmv\n//! launch k<<<1, 1>>>(" + std::string(depth, '(') + "1" +
                                std::string(depth, ')') + ")\n");
        };
        QVERIFY(nested(63));
        QVERIFY(!nested(65));
        QVERIFY(!nested(20000));

        // A chain is not nesting; it must neither be refused nor exhaust the stack.
        std::string chain = "//! task spmv\n//! const A = 1";
        for (int i = 0; i < 30000; ++i)
            chain += i % 2 ? "-1" : "+1";
        const auto chained = parseProgram(chain + "\n//! launch k<<<1, 1>>>(A)\n");
        QVERIFY2(chained, chained ? "" : chained.error().reason.c_str());
        QCOMPARE(constValues(chained->plan).at(0).second, std::int64_t(1));

        const std::string body = "//! task spmv\n//! launch k<<<1, 1>>>(rows)\n";
        QVERIFY(parseProgram(body + std::string(65536 - body.size(), '\n')));
        QVERIFY(!parseProgram(body + std::string(65537 - body.size(), '\n')));
        QVERIFY(!parseProgram(body + std::string(1, '\0')));
    }

    void constsInOrder()
    {
        const auto program =
            parseProgram("//! task spmv\n//! const A = 7 / 2\n//! const D = ceil_div(7, 2) + A % 2\n"
                         "//! const Z = pow2_ceil(0) + pow2_ceil(5) * -(-2)\n"
                         "//! launch k<<<1, 1>>>(Z)\n");
        QVERIFY(program);
        const auto values = constValues(program->plan);
        QCOMPARE(values.size(), std::size_t(3));
        QVERIFY(values[0].first == "A" && values[0].second == 3);
        QVERIFY(values[1].first == "D" && values[1].second == 5);
        QVERIFY(values[2].first == "Z" && values[2].second == 17);
        QCOMPARE(program->code, std::string("\n#define A 3\n#define D 5\n#define Z 17\n\n"));
    }

    void anyBytesAreSafe()
    {
        // Mutations of good programs: an answer each time, never a crash.
        Rng rng(7);
        int good = 0;
        for (int round = 0; round < 20000; ++round) {
            std::string text = goodPlans[rng.below(std::size(goodPlans))] + code;
            const auto changes = rng.below(4);
            for (std::uint64_t i = 0; i < changes && !text.empty(); ++i) {
                const std::size_t at = rng.below(text.size());
                switch (rng.below(4)) {
                case 0:
                    text[at] = static_cast<char>(rng.below(256));
                    break;
                case 1:
                    text.erase(at, 1 + rng.below(8));
                    break;
                case 2:
                    text.insert(at, text.substr(rng.below(text.size()), rng.below(20)));
                    break;
                default:
                    text.insert(at, 1, "()<>[]{},.=+-*/%!\\\n"[rng.below(19)]);
                }
            }
            const auto program = parseProgram(text);
            if (program)
                ++good;
            else
                QVERIFY(program.error().line >= 1 && !program.error().reason.empty());
        }
        QVERIFY(good > 4000 && good < 16000);
    }
};

QTEST_GUILESS_MAIN(TestPlan)
#include "tst_plan.moc"

// SPDX-License-Identifier: Apache-2.0
// Plans of operators: what they may say, and what becomes of their names on a target.
#include "kernel/bind.h"
#include "kernel/plan_key.h"
#include "matrix/generate.h"

#include <QtTest>

#include <fmt/format.h>
#include <string>
#include <vector>

using namespace sparserl;

namespace {

const std::string code = "extern \"C\" __global__ void k() {}\n";

/// relu(x w + b) with names as PyTorch has them, and a second output of one number.
Contents linear()
{
    OperatorSignature signature;
    signature.digest = "d";
    signature.tensors = {{"x", TensorRole::Input, ElementType::F32, {2, 3}},
                         {"layers.0.weight", TensorRole::Input, ElementType::F32, {4, 3}},
                         {"layers.0.bias", TensorRole::Input, ElementType::F32, {4}},
                         {"out0", TensorRole::Output, ElementType::F32, {2, 4}},
                         {"out1", TensorRole::Output, ElementType::F32, {}}};
    return {nullptr, {}, std::make_shared<const OperatorSignature>(std::move(signature))};
}

const TargetVariant variant = TargetVariant::of(Task::Operator, 1);
const std::string outputs = "//! launch k<<<1, 1>>>(out0, out1)\n";

tl::expected<BoundPlan, BindFailure> bound(const std::string& lines)
{
    const auto program = parseProgram("//! task operator\n" + lines + code);
    if (!program)
        return tl::unexpected(
            BindFailure{BindFailure::Kind::LaunchError, program.error().line, program.error().reason});
    return bindPlan(program->plan, linear(), variant, DeviceLimits());
}

} // namespace

class TestOperatorPlan : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refusedLines_data()
    {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const char* lines, const char* reason) {
            QTest::newRow(name) << QString::fromUtf8(lines) << QString::fromUtf8(reason);
        };
        row("a type", "//! task operator f64\n", "have types of their own; leave out 'f64'");
        row("a format", "//! task operator\n//! format ell\n", "a line 'format' is about a sparse matrix");
        row("a part", "//! task operator\n//! part p = rows with length in [0, 4)\n", "a line 'part'");
        row("a tensor as a number", "//! task operator\n//! launch k<<<x, 1>>>(x)\n", "'x' is not a number");
        row("a number of matrices", "//! task operator\n//! launch k<<<rows, 1>>>(x)\n",
            "'rows' is not a number; a plan for an operator knows the numbers sm_count");
        row("a weight as a number", "//! task operator\n//! launch k<<<1, 1>>>(a.0.w + 1)\n",
            "'a.0.w' is an array; an expression needs a number, such as a.0.w.numel or a.0.w.dim(0)");
        row("a negative dimension", "//! task operator\n//! launch k<<<1, 1>>>(x.dim(-1))\n",
            "expected the number of a dimension, 0 to 15");
        row("a dimension too many", "//! task operator\n//! launch k<<<1, 1>>>(x.dim(16))\n",
            "expected the number of a dimension, 0 to 15");
        row("no dimension", "//! task operator\n//! launch k<<<1, 1>>>(x.dim())\n", "expected the number");
        row("an open dimension", "//! task operator\n//! launch k<<<1, 1>>>(x.dim(0)\n", "expected ')'");
        row("an extent in a const", "//! task operator\n//! const N = x.dim(0)\n",
            "a const is made of integers");
        row("a name in a const", "//! task operator\n//! const N = x\n", "'x' in a const");
        row("a tensor in a prepare", "//! task operator\n//! prepare k<<<1, 1>>>(x)\n",
            "a prepare call cannot use 'x'; it sees only prepared buffers");
        row("scratch in a prepare", "//! task operator\n//! scratch s f32[4]\n//! prepare k<<<1, 1>>>(s)\n",
            "a prepare call cannot use 's'");
        row("zeroed twice", "//! task operator\n//! zero out\n//! zero out\n", "'out' is zeroed twice");
        row("a function as a name", "//! task operator\n//! scratch min f32[4]\n",
            "the name 'min' is reserved");
        row("no launch", "//! task operator\n", "no launch");
        row("a word in the name", "//! task operator\n//! launch k<<<1, 1>>>(a.0x)\n", "decimal integer");
        row("an unknown task", "//! task operators\n", "there are spmv, spmm and operator");
    }
    void refusedLines()
    {
        QFETCH(const QString, lines);
        QFETCH(const QString, reason);
        const auto program = parseProgram(lines.toStdString() + code);
        QVERIFY(!program);
        QVERIFY2(QString::fromStdString(program.error().reason).contains(reason),
                 program.error().reason.c_str());
    }

    void names()
    {
        const auto plan =
            bound("//! const T = 4\n"
                  "//! require x.dim(1) == layers.0.weight.dim(1)\n"
                  "//! scratch s f32[x.numel * 2]\n"
                  "//! prepared p i32[out1.numel] \n"
                  "//! zero out1\n"
                  "//! prepare k<<<1, 1>>>(p, x.dim(0))\n"
                  "//! launch k<<<dim3(out0.dim(0), ceil_div(out0.numel, T)), 32>>>(x, layers.0.weight, "
                  "layers.0.bias, s, p, out0, out1, T, x.dim(0), layers.0.weight.dim(1), "
                  "layers.0.bias.numel + 1, sm_count, 0.5f)\n");
        QVERIFY2(plan.has_value(), plan ? "" : plan.error().reason.c_str());
        QCOMPARE(plan->buffers.size(), std::size_t(7));
        const auto buffer = [&](const char* name) {
            return plan->buffers.at(static_cast<std::size_t>(plan->find(name)));
        };
        QVERIFY(buffer("layers.0.weight").role == BufferRole::Input && buffer("layers.0.weight").count == 12);
        QVERIFY(buffer("out0").role == BufferRole::Output && buffer("out0").count == 8 &&
                !buffer("out0").zero);
        QVERIFY(buffer("out1").role == BufferRole::Output && buffer("out1").count == 1 &&
                buffer("out1").zero);
        QVERIFY(buffer("s").role == BufferRole::Scratch && buffer("s").count == 12);
        QVERIFY(buffer("p").role == BufferRole::Prepared && buffer("p").count == 1);
        const BoundCall& call = plan->launches.at(0);
        QVERIFY(call.grid[0] == 2 && call.grid[1] == 2);
        std::vector<std::int64_t> numbers;
        for (std::size_t i = 7; i < 12; ++i)
            numbers.push_back(std::get<std::int64_t>(call.arguments.at(i)));
        QCOMPARE(numbers, (std::vector<std::int64_t>{4, 2, 3, 5, DeviceLimits().smCount}));
        QCOMPARE(std::get<float>(call.arguments.at(12)), 0.5f);
    }

    void unboundNames_data()
    {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const std::string& lines, const char* reason) {
            QTest::newRow(name) << QString::fromStdString(lines) << QString::fromUtf8(reason);
        };
        row("a similar name", "//! launch k<<<1, 1>>>(layers.0.wieght)\n" + outputs,
            "the operator has no tensor 'layers.0.wieght'; it has layers.0.weight, layers.0.bias, ");
        row("a tensor of matrices", "//! launch k<<<1, 1>>>(y)\n" + outputs,
            "the operator has no tensor 'y'; it has x, ");
        row("a number of nothing", "//! launch k<<<z.numel, 1>>>(x)\n" + outputs, "no tensor 'z'");
        row("in a size", "//! scratch s f32[z.dim(0)]\n" + outputs, "no tensor 'z'");
        row("in a requirement", "//! require 1 + z.numel > 2\n" + outputs, "no tensor 'z'");
        row("an argument's number", "//! launch k<<<1, 1>>>(2 * z.numel)\n" + outputs, "no tensor 'z'");
        row("no such dimension", "//! launch k<<<1, 1>>>(x.dim(2))\n" + outputs,
            "'x' has no dim(2); its dimensions are 0 to 1");
        row("a single number", "//! launch k<<<1, 1>>>(out1.dim(0))\n" + outputs,
            "single number and has no extents");
        row("the number of a buffer", "//! scratch s f32[4]\n//! launch k<<<1, 1>>>(s.numel)\n" + outputs,
            "no tensor 's'");
        row("a scratch with the name of a tensor", "//! scratch x f32[4]\n" + outputs,
            "the plan defines 'x', but a tensor of the operator has this name, too");
        row("a const with the name of a tensor", "//! const out0 = 4\n//! launch k<<<1, 1>>>(out1)\n",
            "the plan defines 'out0'");
        row("an input is zeroed", "//! zero x\n" + outputs, "only an output can be zeroed, not 'x'");
        row("nothing is zeroed", "//! zero out\n" + outputs, "no tensor 'out'; it has out0, out1, ");
        row("an output is missing", "//! launch k<<<1, 1>>>(x, out0)\n", "no launch names the output 'out1'");
        row("a requirement", "//! require x.dim(0) == 3\n" + outputs,
            "the program requires x.dim(0) == 3, which does not hold here");
        row("too much scratch", "//! scratch s f64[100000000]\n" + outputs, "8 x the tensors + 64 MiB");
        row("no threads", "//! launch k<<<1, x.dim(0) - 2>>>(out0, out1)\n", "zero extent at this size");
    }
    void unboundNames()
    {
        QFETCH(const QString, lines);
        QFETCH(const QString, reason);
        const auto plan = bound(lines.toStdString());
        QVERIFY(!plan);
        QVERIFY2(QString::fromStdString(plan.error().reason).contains(reason), plan.error().reason.c_str());
    }

    /// A plan means nothing on a target of another kind.
    void otherKinds()
    {
        const auto matrix = generate("stencil2d(n=5)");
        QVERIFY(matrix.has_value());
        const auto operation = parseProgram("//! task operator\n" + outputs + code);
        const auto sparse = parseProgram("//! task spmv\n//! launch k<<<1, 1>>>(x, y)\n" + code);
        QVERIFY(operation && sparse);
        const auto onMatrix = bindPlan(operation->plan, SparseContents{*matrix, {}}, DeviceLimits());
        QVERIFY(!onMatrix && onMatrix.error().kind == BindFailure::Kind::PlanError);
        QCOMPARE(onMatrix.error().reason,
                 std::string("the program is for an operator, and not for a sparse matrix"));
        const auto onOperator = bindPlan(sparse->plan, linear(), variant, DeviceLimits());
        QVERIFY(!onOperator && onOperator.error().kind == BindFailure::Kind::PlanError);
        QCOMPARE(onOperator.error().reason, std::string("the program is for spmv, and not for an operator"));
    }

    /// Programs whose executed code may differ have different keys.
    void keysTellPlansApart()
    {
        std::vector<std::string> keys;
        for (const char* lines :
             {"//! launch k<<<1, 1>>>(x, out)\n", "//! launch k<<<1, 1>>>(z, out)\n",
              "//! launch k<<<1, 1>>>(x.numel, out)\n", "//! launch k<<<1, 1>>>(x.dim(0), out)\n",
              "//! launch k<<<1, 1>>>(x.dim(1), out)\n", "//! zero out\n//! launch k<<<1, 1>>>(x, out)\n",
              "//! zero x\n//! launch k<<<1, 1>>>(x, out)\n"}) {
            const auto program = parseProgram(std::string("//! task operator\n") + lines + code);
            QVERIFY2(program, lines);
            keys.push_back(planKey(program->plan));
        }
        for (std::size_t i = 0; i < keys.size(); ++i)
            for (std::size_t k = 0; k < i; ++k)
                QVERIFY(keys[i] != keys[k]);
    }
};

QTEST_GUILESS_MAIN(TestOperatorPlan)
#include "tst_operator_plan.moc"

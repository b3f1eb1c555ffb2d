// SPDX-License-Identifier: Apache-2.0
#include "kernel/plan_key.h"

#include <QTest>
#include <functional>
#include <set>

using namespace sparserl;

namespace {

const std::string full =
    "//! task spmv\n"
    "//! const BLOCK = 4 * 32\n"
    "//! part short = rows with length in [0, 9)\n"
    "//! part long = rows with length in [9, inf)\n"
    "//! format mine = sell(slice=32, sigma=64) of short\n"
    "//! format coo\n"
    "//! require rows < 4 * BLOCK\n"
    "//! scratch s f32[max(rows, 3)] zero\n"
    "//! prepared p i32[ceil_div(nnz, BLOCK)]\n"
    "//! zero y\n"
    "//! prepare k<<<BLOCK, 32>>>(p, csr.col)\n"
    "//! launch k<<<dim3(rows, 2), dim3(BLOCK, 1), 4 * BLOCK>>>(mine.slices, x, y, s, rows - 1, 0.5f)\n";

Plan planOf(const std::string& lines)
{
    auto program = parseProgram(lines + "extern \"C\" __global__ void k() {}\n");
    if (!program)
        qWarning("%s", program.error().reason.c_str());
    return program ? program->plan : Plan{};
}

std::shared_ptr<PlanExpr> changed(const PlanExprPtr& expr)
{
    return std::make_shared<PlanExpr>(*expr);
}

} // namespace

/// Two plans have one key exactly if they say the same.
class PlanKeyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyFieldCounts();
    void layoutDoesNot();
    void otherPlans();
    void plansWithoutReals();
    void longChains();
};

void PlanKeyTest::everyFieldCounts()
{
    const Plan plan = planOf(full);
    QCOMPARE(plan.calls.size(), std::size_t(2));
    const std::vector<std::function<void(Plan&)>> changes{
        [](Plan& p) { p.task = Task::SpMM; },
        [](Plan& p) { p.type = ElementType::F64; },
        [](Plan& p) { p.consts[0].name = "C"; },
        [](Plan& p) { p.consts.push_back(p.consts[0]); },
        [](Plan& p) { p.consts.clear(); },
        [](Plan& p) { p.parts[0].name = "other"; },
        [](Plan& p) { p.parts[0].low = 1; },
        [](Plan& p) { p.parts[0].high = 8; },
        [](Plan& p) { p.parts[0].high.reset(); },
        [](Plan& p) { p.parts[1].high = 0; },
        [](Plan& p) { std::swap(p.parts[0], p.parts[1]); },
        [](Plan& p) { p.formats[0].name = "yours"; },
        [](Plan& p) { p.formats[0].spec.kind = "sell16"; },
        [](Plan& p) { p.formats[0].spec.parameters["slice"] = 64; },
        [](Plan& p) { p.formats[0].spec.parameters.erase("slice"); },
        [](Plan& p) { p.formats[0].part = "long"; },
        [](Plan& p) { p.formats[0].part.clear(); },
        [](Plan& p) { p.formats.pop_back(); },
        [](Plan& p) { p.buffers[0].name = "t"; },
        [](Plan& p) { p.buffers[0].type = ElementType::F64; },
        [](Plan& p) { p.buffers[0].count = p.buffers[1].count; },
        [](Plan& p) { p.buffers[0].prepared = true; },
        [](Plan& p) { p.buffers[0].zero = false; },
        [](Plan& p) { p.zeroed.clear(); },
        [](Plan& p) { p.requirements.clear(); },
        [](Plan& p) { p.requirements.push_back(p.requirements[0]); },
        [](Plan& p) { p.requirements[0].comparison = PlanRequirement::Comparison::Greater; },
        [](Plan& p) { p.requirements[0].left = p.requirements[0].right; },
        [](Plan& p) { p.requirements[0].right = p.requirements[0].left; },
        [](Plan& p) { p.calls[0].prepare = false; },
        [](Plan& p) { p.calls[1].kernel = "other"; },
        [](Plan& p) { p.calls[1].grid.pop_back(); },
        [](Plan& p) { std::swap(p.calls[1].grid, p.calls[1].block); },
        [](Plan& p) { p.calls[1].block[1] = p.calls[1].block[0]; },
        [](Plan& p) { p.calls[1].sharedBytes.reset(); },
        [](Plan& p) { p.calls[1].arguments.pop_back(); },
        [](Plan& p) { std::swap(p.calls[1].arguments[1], p.calls[1].arguments[2]); },
        [](Plan& p) { p.calls[1].arguments[1].array = "csr.val"; },
        [](Plan& p) { p.calls[1].arguments[4].value.reset(); },
        [](Plan& p) { p.calls[1].arguments[5].real = 0.25f; },
        [](Plan& p) { p.calls[1].arguments[5].real = -0.5f; },
        [](Plan& p) { p.calls[1].arguments[5].real = 0; },
        [](Plan& p) { p.calls[1].arguments[5].real = -0.0f; },
        [](Plan& p) { p.calls[1].arguments[5].factor = Factor::Alpha; },
        [](Plan& p) { p.calls[1].arguments[5].factor = Factor::Beta; },
        [](Plan& p) { p.calls[1].arguments[5].value = p.calls[1].arguments[4].value; },
        [](Plan& p) { std::swap(p.calls[0], p.calls[1]); },
        // Inside an expression: 4 * 32.
        [](Plan& p) {
            auto e = changed(p.consts[0].value);
            e->op = PlanExpr::Op::Add;
            p.consts[0].value = e;
        },
        [](Plan& p) {
            auto e = changed(p.consts[0].value);
            std::swap(e->operands[0], e->operands[1]);
            p.consts[0].value = e;
        },
        [](Plan& p) {
            auto e = changed(p.consts[0].value);
            auto leaf = changed(e->operands[0]);
            leaf->value = 5;
            e->operands[0] = leaf;
            p.consts[0].value = e;
        },
        [](Plan& p) {
            auto e = changed(p.calls[1].arguments[4].value);
            auto leaf = changed(e->operands[0]);
            leaf->name = "cols";
            e->operands[0] = leaf;
            p.calls[1].arguments[4].value = e;
        },
        [](Plan& p) {
            auto e = changed(p.calls[1].arguments[0].value);
            e->member = "count";
            p.calls[1].arguments[0].value = e;
        },
    };
    std::set<std::string> keys{planKey(plan)};
    for (std::size_t i = 0; i < changes.size(); ++i) {
        Plan other = plan;
        changes[i](other);
        QVERIFY2(keys.insert(planKey(other)).second, std::to_string(i).c_str());
    }
}

void PlanKeyTest::layoutDoesNot()
{
    const auto key = planKey(planOf(full));
    std::string spread, blanks, crlf;
    for (const char c : full) {
        spread += c == '\n' ? std::string("\n\n// between\n") : std::string(1, c);
        blanks += c == ' ' ? std::string(" \t ") : std::string(1, c);
        crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
    }
    QCOMPARE(planKey(planOf(spread)), key);
    QCOMPARE(planKey(planOf(blanks)), key);
    QCOMPARE(planKey(planOf(crlf)), key);
    // The plan's reader takes a form feed and a vertical tab before a line for blanks; so does the key.
    for (const char* blank : {"\f", "\v", " \t\v\f"}) {
        std::string moved = full;
        moved.insert(moved.find("//! zero y"), blank);
        QCOMPARE(planKey(planOf(moved)), key);
    }
}

/// One line more or less is another plan, whatever stands before it.
void PlanKeyTest::otherPlans()
{
    const auto key = planKey(planOf(full));
    const std::string line = "//! zero y\n";
    for (const char* blank : {"", "\f", "\v", " \t\f"}) {
        std::string with = full, without = full;
        with.insert(with.find(line), blank);
        without.erase(without.find(line), line.size());
        QCOMPARE(planKey(planOf(with)), key);
        QVERIFY(planKey(planOf(without)) != key);
        const std::string launch = "//! launch k<<<1, 1>>>(y)\n";
        QVERIFY(planKey(planOf(full + blank + launch)) != key);
        QCOMPARE(planKey(planOf(full + blank + launch)), planKey(planOf(full + launch)));
    }
}

/// What is remembered under keys of before is found again.
void PlanKeyTest::plansWithoutReals()
{
    QCOMPARE(planKey(planOf("//! task spmv\n//! launch k<<<1, 2>>>(x, 3)\n")),
             std::string("0 0 0 0 0 0 1 0 1 k1 1 0 1 0 0 0 1 1 0 2 0 0 0 0 2 1 x0 0 1 0 3 0 0 0 "));
    // How a literal is written does not count, its value does.
    const auto key = [](const char* literal) {
        return planKey(planOf(std::string("//! task spmv\n//! launch k<<<1, 2>>>(") + literal + ")\n"));
    };
    QCOMPARE(key("0.5f"), key("5e-1f"));
    QVERIFY(key("0.5f") != key("-0.5f") && key("0.0f") != key("-0.0f") && key("1.0f") != key("1"));
}

void PlanKeyTest::longChains()
{
    std::string sum = "1";
    for (int i = 0; i < 20'000; ++i)
        sum += "+1";
    const auto plan = planOf("//! task spmv\n//! launch k<<<" + sum + ", 1>>>(y)\n");
    QCOMPARE(plan.calls.size(), std::size_t(1));
    QVERIFY(planKey(plan) != planKey(planOf("//! task spmv\n//! launch k<<<" + sum + "+1, 1>>>(y)\n")));
}

QTEST_GUILESS_MAIN(PlanKeyTest)
#include "tst_plan_key.moc"

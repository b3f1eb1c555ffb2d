// SPDX-License-Identifier: Apache-2.0
#include "kernel/plan_expr.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace sparserl {

namespace {

using Value = tl::expected<std::int64_t, std::string>;

bool isChain(PlanExpr::Op op)
{
    using Op = PlanExpr::Op;
    return op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Div || op == Op::Mod;
}

Value overflow(const char* what)
{
    return tl::unexpected(fmt::format("{} leaves the range of 64-bit integers", what));
}

Value pow2Ceil(std::int64_t a)
{
    if (a < 0)
        return tl::unexpected(fmt::format("pow2_ceil({}) is not defined", a));
    std::int64_t power = 1;
    while (power < a) {
        if (power > std::numeric_limits<std::int64_t>::max() / 2)
            return overflow("pow2_ceil");
        power *= 2;
    }
    return power;
}

Value apply(PlanExpr::Op op, std::int64_t a, std::int64_t b)
{
    using Op = PlanExpr::Op;
    std::int64_t r = 0;
    switch (op) {
    case Op::Add:
        return __builtin_add_overflow(a, b, &r) ? overflow("a sum") : Value(r);
    case Op::Sub:
        return __builtin_sub_overflow(a, b, &r) ? overflow("a difference") : Value(r);
    case Op::Mul:
        return __builtin_mul_overflow(a, b, &r) ? overflow("a product") : Value(r);
    case Op::Div:
    case Op::Mod:
    case Op::CeilDiv:
        if (b == 0)
            return tl::unexpected(std::string(op == Op::CeilDiv ? "ceil_div by zero" : "division by zero"));
        if (a == std::numeric_limits<std::int64_t>::min() && b == -1)
            return overflow("a quotient");
        if (op == Op::Mod)
            return a % b;
        r = a / b;
        if (op == Op::CeilDiv && a % b != 0 && (a < 0) == (b < 0))
            ++r;
        return r;
    case Op::Min:
        return std::min(a, b);
    case Op::Max:
        return std::max(a, b);
    default:
        return tl::unexpected(std::string("an expression that cannot be evaluated"));
    }
}

} // namespace

PlanExpr::~PlanExpr()
{
    std::vector<PlanExprPtr> pending = std::move(operands);
    while (!pending.empty()) {
        const PlanExprPtr node = std::move(pending.back());
        pending.pop_back();
        if (!node || node.use_count() != 1)
            continue;
        // We are its only owner and it was created mutable: take its operands before it goes.
        auto& taken = const_cast<PlanExpr&>(*node).operands;
        std::move(taken.begin(), taken.end(), std::back_inserter(pending));
        taken.clear();
    }
}

Value evaluate(const PlanExpr& expr, const PlanLookup& lookup)
{
    using Op = PlanExpr::Op;
    // Chains such as a+b+c lean to the left and can be thousands long: walk them, do not recurse.
    std::vector<const PlanExpr*> spine;
    const PlanExpr* node = &expr;
    while (isChain(node->op)) {
        spine.push_back(node);
        node = node->operands[0].get();
    }
    Value value = 0;
    switch (node->op) {
    case Op::Literal:
        value = node->value;
        break;
    case Op::Name:
    case Op::Member: {
        const auto found = lookup(*node);
        const std::string name = node->op == Op::Name ? node->name : node->name + "." + node->member;
        value = found ? Value(*found) : Value(tl::unexpected(fmt::format("'{}' has no value here", name)));
        break;
    }
    case Op::Neg:
    case Op::Pow2Ceil:
        value = evaluate(*node->operands[0], lookup);
        if (value)
            value = node->op == Op::Neg ? apply(Op::Sub, 0, *value) : pow2Ceil(*value);
        break;
    default: {
        value = evaluate(*node->operands[0], lookup);
        if (!value)
            break;
        const Value second = evaluate(*node->operands[1], lookup);
        value = second ? apply(node->op, *value, *second) : second;
        break;
    }
    }
    while (value && !spine.empty()) {
        const PlanExpr* outer = spine.back();
        spine.pop_back();
        const Value right = evaluate(*outer->operands[1], lookup);
        value = right ? apply(outer->op, *value, *right) : right;
    }
    return value;
}

Value evaluateNonNegative(const PlanExpr& expr, const PlanLookup& lookup)
{
    Value value = evaluate(expr, lookup);
    if (value && *value < 0)
        return tl::unexpected(fmt::format("the value is {}; it must not be negative", *value));
    return value;
}

tl::expected<bool, std::string> holds(const PlanRequirement& requirement, const PlanLookup& lookup)
{
    const auto left = evaluate(*requirement.left, lookup);
    if (!left)
        return tl::unexpected(left.error());
    const auto right = evaluate(*requirement.right, lookup);
    if (!right)
        return tl::unexpected(right.error());
    switch (requirement.comparison) {
    case PlanRequirement::Comparison::Equal:
        return *left == *right;
    case PlanRequirement::Comparison::NotEqual:
        return *left != *right;
    case PlanRequirement::Comparison::Less:
        return *left < *right;
    case PlanRequirement::Comparison::LessOrEqual:
        return *left <= *right;
    case PlanRequirement::Comparison::Greater:
        return *left > *right;
    case PlanRequirement::Comparison::GreaterOrEqual:
        break;
    }
    return *left >= *right;
}

} // namespace sparserl

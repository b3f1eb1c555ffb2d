// SPDX-License-Identifier: Apache-2.0
#include "kernel/operator_names.h"

#include "base/edit_distance.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sparserl {

namespace {

constexpr std::size_t shownCharacters = 60, shownNames = 6;

/// Names of tensors, the most similar to `name` first.
std::string similarNames(std::string_view name, const OperatorSignature& signature)
{
    // A name that is much longer than a tensor's is similar to none, however long it takes to find out.
    const std::string_view asked = name.substr(0, 2 * shownCharacters);
    std::vector<std::pair<std::size_t, std::string_view>> names;
    for (const WorkTensor& tensor : signature.tensors)
        names.emplace_back(editDistance(asked, tensor.name), tensor.name);
    std::stable_sort(names.begin(), names.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const bool more = names.size() > shownNames;
    names.resize(std::min(names.size(), shownNames));
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += fmt::format("{}{}",
                            i == 0                           ? ""
                            : i + 1 == names.size() && !more ? " and "
                                                             : ", ",
                            names[i].second.substr(0, shownCharacters));
    return more ? text + " and others" : text;
}

class NameCheck
{
public:
    NameCheck(const Plan& plan, const OperatorSignature& signature)
        : m_plan(plan)
        , m_signature(signature)
    {
    }

    std::optional<BindFailure> run()
    {
        for (const PlanConst& constant : m_plan.consts)
            checkOwn(constant.name, constant.line);
        for (const PlanBuffer& buffer : m_plan.buffers) {
            checkOwn(buffer.name, buffer.line);
            checkNumbers(buffer.count.get(), buffer.line);
        }
        for (const std::string& name : m_plan.zeroed)
            checkZeroed(name);
        for (const PlanRequirement& requirement : m_plan.requirements) {
            checkNumbers(requirement.left.get(), requirement.line);
            checkNumbers(requirement.right.get(), requirement.line);
        }
        for (const PlanCall& call : m_plan.calls)
            checkCall(call);
        for (const WorkTensor& tensor : m_signature.tensors)
            if (tensor.role == TensorRole::Output)
                checkWritten(tensor.name);
        return std::move(m_failure);
    }

private:
    void refuse(int line, std::string reason)
    {
        if (!m_failure)
            m_failure = BindFailure{BindFailure::Kind::PlanError, line, std::move(reason)};
    }

    bool isOwnBuffer(const std::string& name) const
    {
        return std::any_of(m_plan.buffers.begin(), m_plan.buffers.end(),
                           [&](const PlanBuffer& one) { return one.name == name; });
    }

    const WorkTensor* find(const std::string& name, int line)
    {
        const WorkTensor* const tensor = m_signature.find(name);
        if (!tensor)
            refuse(line, fmt::format("the operator has no tensor '{}'; it has {}",
                                     name.substr(0, shownCharacters), similarNames(name, m_signature)));
        return tensor;
    }

    void checkOwn(const std::string& name, int line)
    {
        if (m_signature.find(name))
            refuse(line,
                   fmt::format("the plan defines '{}', but a tensor of the operator has this name, too; "
                               "choose another",
                               name.substr(0, shownCharacters)));
    }

    void checkZeroed(const std::string& name)
    {
        const WorkTensor* const tensor = find(name, 0);
        if (tensor && tensor->role != TensorRole::Output)
            refuse(0, fmt::format("only an output can be zeroed, not '{}'", name.substr(0, shownCharacters)));
    }

    /// Not recursive: an expression can be a chain of thousands of operators.
    void checkNumbers(const PlanExpr* root, int line)
    {
        std::vector<const PlanExpr*> left{root};
        while (!left.empty()) {
            const PlanExpr* const expr = left.back();
            left.pop_back();
            if (!expr)
                continue;
            if (expr->op == PlanExpr::Op::Member)
                checkNumber(*expr, line);
            for (const PlanExprPtr& operand : expr->operands)
                left.push_back(operand.get());
        }
    }

    void checkNumber(const PlanExpr& leaf, int line)
    {
        const WorkTensor* const tensor = find(leaf.name, line);
        if (!tensor || leaf.member == "numel")
            return;
        for (std::size_t i = 0; i < tensor->shape.size(); ++i)
            if (leaf.member == fmt::format("dim({})", i))
                return;
        refuse(line, tensor->shape.empty()
                         ? fmt::format("'{}' is a single number and has no extents", leaf.name)
                         : fmt::format("'{}' has no {}; its dimensions are 0 to {}", leaf.name, leaf.member,
                                       tensor->shape.size() - 1));
    }

    void checkCall(const PlanCall& call)
    {
        for (const auto* extents : {&call.grid, &call.block})
            for (const PlanExprPtr& extent : *extents)
                checkNumbers(extent.get(), call.line);
        checkNumbers(call.sharedBytes.get(), call.line);
        for (const PlanArgument& argument : call.arguments) {
            if (!argument.array.empty() && !isOwnBuffer(argument.array))
                find(argument.array, call.line);
            checkNumbers(argument.value.get(), call.line);
        }
    }

    void checkWritten(const std::string& output)
    {
        for (const PlanCall& call : m_plan.calls)
            for (const PlanArgument& argument : call.arguments)
                if (argument.array == output)
                    return;
        refuse(m_plan.calls.empty() ? 0 : m_plan.calls.back().line,
               fmt::format("no launch names the output '{}'", output));
    }

    const Plan& m_plan;
    const OperatorSignature& m_signature;
    std::optional<BindFailure> m_failure;
};

} // namespace

std::optional<BindFailure> checkOperatorNames(const Plan& plan, const OperatorSignature& signature)
{
    return NameCheck(plan, signature).run();
}

} // namespace sparserl

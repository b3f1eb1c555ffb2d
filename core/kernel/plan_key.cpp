// SPDX-License-Identifier: Apache-2.0
#include "kernel/plan_key.h"

#include <bit>
#include <concepts>

namespace sparserl {

namespace {

/// Fields in order, each so that its end is known: no two sequences of fields give the same text. Structures
/// are taken apart by name, so that a new field does not compile before somebody decides about it here.
class KeyWriter
{
public:
    template <std::integral T>
    void put(T value)
    {
        m_key += std::to_string(value);
        m_key += ' ';
    }
    void put(const std::string& text)
    {
        put(text.size());
        m_key += text;
    }
    template <typename T>
    void put(const std::optional<T>& value)
    {
        put(value.has_value());
        if (value)
            put(*value);
    }
    template <typename T>
    void put(const std::vector<T>& list)
    {
        put(list.size());
        for (const T& item : list)
            put(item);
    }
    void put(const PlanExprPtr& root)
    {
        // Not recursive: an expression can be a chain of thousands of operators.
        std::vector<const PlanExpr*> left{root.get()};
        while (!left.empty()) {
            const PlanExpr* expr = left.back();
            left.pop_back();
            put(expr != nullptr);
            if (!expr)
                continue;
            const auto& [op, value, name, member, operands] = *expr;
            put(static_cast<int>(op));
            put(value);
            put(name);
            put(member);
            put(operands.size());
            for (auto at = operands.rbegin(); at != operands.rend(); ++at)
                left.push_back(at->get());
        }
    }
    void put(const PlanConst& one)
    {
        const auto& [name, value, line] = one;
        put(name);
        put(value);
    }
    void put(const PlanPart& part)
    {
        const auto& [name, low, high, line] = part;
        put(name);
        put(low);
        put(high);
    }
    void put(const PlanFormat& format)
    {
        const auto& [name, spec, part, line] = format;
        const auto& [kind, parameters] = spec;
        put(name);
        put(kind);
        put(parameters.size());
        for (const auto& [key, value] : parameters) {
            put(key);
            put(value);
        }
        put(part);
    }
    void put(const PlanBuffer& buffer)
    {
        const auto& [name, type, count, prepared, zero, line] = buffer;
        put(name);
        put(static_cast<int>(type));
        put(count);
        put(prepared);
        put(zero);
    }
    void put(const PlanArgument& argument)
    {
        const auto& [array, value, real, factor] = argument;
        put(array);
        put(value);
        // Keys of plans of before stay as they are. No literal has as many bits as a factor.
        if (factor)
            put((std::uint64_t(1) << 32) + static_cast<std::uint64_t>(*factor));
        else if (array.empty() && !value)
            put(std::bit_cast<std::uint32_t>(real));
    }
    void put(const PlanCall& call)
    {
        const auto& [prepare, kernel, grid, block, sharedBytes, arguments, line] = call;
        put(prepare);
        put(kernel);
        put(grid);
        put(block);
        put(sharedBytes);
        put(arguments);
    }
    void put(const PlanRequirement& requirement)
    {
        const auto& [left, comparison, right, text, line] = requirement;
        put(left);
        put(static_cast<int>(comparison));
        put(right);
    }
    void put(const Plan& plan)
    {
        const auto& [task, type, consts, parts, formats, buffers, zeroed, calls, requirements] = plan;
        put(static_cast<int>(task));
        put(consts);
        put(parts);
        put(formats);
        put(buffers);
        put(!zeroed.empty());
        put(calls);
        // Keys of plans of before stay as they are.
        if (!requirements.empty())
            put(requirements);
        if (type != ElementType::F32)
            put(std::string(nameOf(type)));
        if (task == Task::Operator) // Other tasks have one output.
            put(zeroed);
    }
    std::string take() { return std::move(m_key); }

private:
    std::string m_key;
};

} // namespace

std::string planKey(const Plan& plan)
{
    KeyWriter writer;
    writer.put(plan);
    return writer.take();
}

} // namespace sparserl

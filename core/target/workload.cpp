// SPDX-License-Identifier: Apache-2.0
#include "target/workload.h"

#include "target/operator_signature.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

constexpr std::int64_t indexBytes = 4;

const WorkRule& ruleOf(Task task)
{
    return *std::find_if(workRules.begin(), workRules.end(),
                         [&](const WorkRule& rule) { return rule.task == task; });
}

} // namespace

std::vector<std::string_view> tensorNames(Task task, TensorRole role)
{
    std::vector<std::string_view> names;
    for (const TensorRule& rule : tensorRules)
        if (rule.task == task && rule.role == role)
            names.push_back(rule.name);
    return names;
}

std::string elementName(const TargetVariant& variant, std::optional<std::int64_t> output, std::int64_t row,
                        std::int64_t column)
{
    if (variant.task() == Task::Operator)
        return output ? fmt::format("{}[{}]", outputName(static_cast<std::size_t>(*output), 2), row)
                      : fmt::format("{}[{}]", outputName(0, 1), row);
    const auto names = tensorNames(variant.task(), TensorRole::Output);
    const auto number = static_cast<std::size_t>(output.value_or(0));
    const std::string name =
        number < names.size() ? std::string(names[number]) : fmt::format("output {}", number);
    return variant.task() == Task::SpMM ? fmt::format("{}[{}, {}]", name, row, column)
                                        : fmt::format("{}[{}]", name, row);
}

WorkTensor Workload::tensor(const TensorRule& rule) const
{
    WorkTensor tensor{std::string(rule.name), rule.role, m_variant.type, {m_sizes.*rule.extent}};
    if (m_variant.task() == Task::SpMM)
        tensor.shape.push_back(m_variant.columns);
    return tensor;
}

std::vector<WorkTensor> Workload::tensors() const
{
    if (m_signature)
        return m_signature->tensors;
    std::vector<WorkTensor> all;
    for (const TensorRule& rule : tensorRules)
        if (rule.task == m_variant.task())
            all.push_back(tensor(rule));
    return all;
}

std::optional<WorkTensor> Workload::find(std::string_view name) const
{
    if (m_signature) {
        const WorkTensor* const found = m_signature->find(name);
        return found ? std::optional(*found) : std::nullopt;
    }
    const TensorRule* const rule = ruleOf(tensorRules, name);
    return rule ? std::optional(tensor(*rule)) : std::nullopt;
}

WorkTensor Workload::tensor(TensorRole role) const
{
    return tensor(*ruleOf(tensorRules, tensorName(m_variant.task(), role)));
}

double Workload::flops() const
{
    // A record that was read from a file has a target without its contents.
    if (m_variant.task() == Task::Operator)
        return m_signature ? m_signature->flops : 0;
    return ruleOf(m_variant.task()).flops(m_sizes, m_variant);
}

double Workload::gflops(double microseconds) const
{
    return microseconds > 0 ? 1e-3 * flops() / microseconds : 0;
}

std::int64_t Workload::compulsoryBytes() const
{
    if (m_variant.task() == Task::Operator)
        return m_signature ? m_signature->compulsoryBytes : 0;
    const auto each = static_cast<std::int64_t>(sizeOf(m_variant.type));
    return each * ruleOf(m_variant.task()).numbers(m_sizes, m_variant);
}

std::int64_t Workload::csrBytes() const
{
    return compulsoryBytes() + indexBytes * (m_sizes.nnz + m_sizes.rows + 1);
}

} // namespace sparserl

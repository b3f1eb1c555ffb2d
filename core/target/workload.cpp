// SPDX-License-Identifier: Apache-2.0
#include "target/workload.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <numeric>

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
    const auto names = tensorNames(variant.task(), TensorRole::Output);
    const auto number = static_cast<std::size_t>(output.value_or(0));
    const std::string name =
        number < names.size() ? std::string(names[number]) : fmt::format("output {}", number);
    return variant.task() == Task::SpMM ? fmt::format("{}[{}, {}]", name, row, column)
                                        : fmt::format("{}[{}]", name, row);
}

std::int64_t WorkTensor::count() const
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t(1), std::multiplies<>());
}

WorkTensor Workload::tensor(const TensorRule& rule) const
{
    WorkTensor tensor{rule.name, rule.role, m_variant.type, {m_sizes.*rule.extent}};
    if (m_variant.task() == Task::SpMM)
        tensor.shape.push_back(m_variant.columns);
    return tensor;
}

std::vector<WorkTensor> Workload::tensors() const
{
    std::vector<WorkTensor> all;
    for (const TensorRule& rule : tensorRules)
        if (rule.task == m_variant.task())
            all.push_back(tensor(rule));
    return all;
}

WorkTensor Workload::tensor(TensorRole role) const
{
    return tensor(*ruleOf(tensorRules, tensorName(m_variant.task(), role)));
}

double Workload::flops() const
{
    return ruleOf(m_variant.task()).flops(m_sizes, m_variant);
}

double Workload::gflops(double microseconds) const
{
    return microseconds > 0 ? 1e-3 * flops() / microseconds : 0;
}

std::int64_t Workload::compulsoryBytes() const
{
    const auto each = static_cast<std::int64_t>(sizeOf(m_variant.type));
    return each * ruleOf(m_variant.task()).numbers(m_sizes, m_variant);
}

std::int64_t Workload::csrBytes() const
{
    return compulsoryBytes() + indexBytes * (m_sizes.nnz + m_sizes.rows + 1);
}

} // namespace sparserl

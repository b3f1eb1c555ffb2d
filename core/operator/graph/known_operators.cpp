// SPDX-License-Identifier: Apache-2.0
#include "operator/graph/known_operators.h"

#include <algorithm>
#include <array>

namespace sparserl {

namespace {

void appendNames(std::vector<KnownOperator>& into, OperatorKind kind, std::string_view names)
{
    while (!names.empty()) {
        const std::size_t end = std::min(names.find(' '), names.size());
        if (end > 0)
            into.push_back({names.substr(0, end), kind});
        names.remove_prefix(std::min(end + 1, names.size()));
    }
}

std::vector<KnownOperator> makeTable()
{
    std::vector<KnownOperator> table;
#define OPERATORS(kind, names) appendNames(table, OperatorKind::kind, names);
#include "operator/graph/operators.def"
#undef OPERATORS
    std::sort(table.begin(), table.end(),
              [](const KnownOperator& a, const KnownOperator& b) { return a.name < b.name; });
    return table;
}

std::optional<OperatorKind> kindOf(std::string_view name)
{
    const auto table = knownOperators();
    const auto found =
        std::lower_bound(table.begin(), table.end(), name,
                         [](const KnownOperator& a, std::string_view b) { return a.name < b; });
    return found != table.end() && found->name == name ? std::optional(found->kind) : std::nullopt;
}

constexpr std::array<std::string_view, 26> randomNames{"alpha_dropout",
                                                       "bernoulli",
                                                       "cauchy",
                                                       "dropout",
                                                       "exponential",
                                                       "feature_alpha_dropout",
                                                       "feature_dropout",
                                                       "fractional_max_pool2d",
                                                       "fractional_max_pool3d",
                                                       "geometric",
                                                       "log_normal",
                                                       "multinomial",
                                                       "native_dropout",
                                                       "normal",
                                                       "poisson",
                                                       "rand",
                                                       "rand_like",
                                                       "randint",
                                                       "randint_like",
                                                       "randn",
                                                       "randn_like",
                                                       "random",
                                                       "randperm",
                                                       "rrelu",
                                                       "rrelu_with_noise",
                                                       "uniform"};

} // namespace

std::span<const KnownOperator> knownOperators()
{
    static const std::vector<KnownOperator> table = makeTable();
    return table;
}

bool worksInPlace(std::string_view name)
{
    return name.size() > 1 && name.back() == '_' && name[name.size() - 2] != '_';
}

std::string_view plainName(std::string_view name)
{
    return worksInPlace(name) ? name.substr(0, name.size() - 1) : name;
}

std::optional<OperatorKind> operatorKind(std::string_view name)
{
    if (!worksInPlace(name))
        return kindOf(name);
    const auto kind = kindOf(plainName(name));
    return kind == OperatorKind::Compute || kind == OperatorKind::Copy || kind == OperatorKind::MatMul
               ? kind
               : std::nullopt;
}

bool isRandomOperator(std::string_view name)
{
    const std::string_view plain = plainName(name);
    return std::find(randomNames.begin(), randomNames.end(), plain) != randomNames.end();
}

std::vector<int> writtenValues(const GraphNode& node)
{
    std::vector<int> written;
    const auto take = [&](std::size_t place) {
        if (place < node.arguments.size())
            if (const auto number = node.arguments[place].reference())
                written.push_back(*number);
    };
    if (worksInPlace(node.op))
        take(0);
    // In training, these operators write the running mean and variance, of which their schemas say nothing.
    if (node.op == "native_batch_norm" || node.op == "_native_batch_norm_legit" || node.op == "batch_norm" ||
        node.op == "instance_norm") {
        take(3);
        take(4);
    }
    return written;
}

bool sharesMemory(const GraphNode& node)
{
    const auto kind = operatorKind(node.op);
    return worksInPlace(node.op) || kind == OperatorKind::Reshape || kind == OperatorKind::Permute ||
           kind == OperatorKind::View;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "target/operator_signature.h"

#include "base/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace sparserl {

namespace {

constexpr std::size_t mostTensors = 11'000, mostDimensions = 16, longestName = 200;
constexpr std::int64_t mostElements = std::int64_t(1) << 36;
constexpr double mostWork = 1e30; ///< No graph has more operations.

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Words with a meaning of their own in plans.
constexpr std::array<std::string_view, 6> meanings{"min", "max", "ceil_div", "pow2_ceil", "dim3", "sm_count"};

Result<WorkTensor> tensorOf(const nlohmann::json& json)
{
    WorkTensor tensor;
    SPARSERL_TRY(tensor.name, jsonRequire<std::string>(json, "name"));
    SPARSERL_TRY(const auto output, jsonRequire<bool>(json, "output"));
    SPARSERL_TRY(const auto type, jsonRequire<std::string>(json, "type"));
    SPARSERL_TRY(tensor.shape, jsonRequire<std::vector<std::int64_t>>(json, "shape"));
    tensor.role = output ? TensorRole::Output : TensorRole::Input;
    const auto element = elementTypeFromName(type);
    if (!element || !problemOfTensorName(tensor.name).empty() || tensor.shape.size() > mostDimensions)
        return fail("a tensor is damaged");
    tensor.type = *element;
    std::int64_t count = 1;
    for (const std::int64_t extent : tensor.shape) {
        if (extent < 0 || extent > mostElements || count > mostElements / std::max<std::int64_t>(extent, 1))
            return fail("a tensor is damaged");
        count *= std::max<std::int64_t>(extent, 1); // So that a zero extent hides no others.
    }
    return tensor;
}

} // namespace

const WorkTensor* OperatorSignature::find(std::string_view name) const
{
    const auto found =
        std::find_if(tensors.begin(), tensors.end(), [&](const WorkTensor& one) { return one.name == name; });
    return found == tensors.end() ? nullptr : &*found;
}

std::string outputName(std::size_t index, std::size_t count)
{
    return count == 1 ? "out" : fmt::format("out{}", index);
}

std::string problemOfTensorName(std::string_view name)
{
    if (name.empty() || name.size() > longestName)
        return fmt::format("a name in a plan has 1 to {} characters", longestName);
    if (!isLetter(name.front()))
        return "a name in a plan begins with a letter or an underscore";
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool dotted = name[i] == '.' && i + 1 < name.size() && name[i + 1] != '.';
        if (!isLetter(name[i]) && !isDigit(name[i]) && !dotted)
            return "a name in a plan has only letters, digits and underscores, with dots between words";
    }
    if (std::find(meanings.begin(), meanings.end(), name) != meanings.end())
        return fmt::format("'{}' has a meaning of its own in plans", name);
    const std::string_view last = name.substr(name.rfind('.') + 1);
    if (name.find('.') != std::string_view::npos && (last == "numel" || last == "dim"))
        return fmt::format("'.{}' has a meaning of its own in plans", last);
    return {};
}

std::string formatSignature(const OperatorSignature& signature)
{
    nlohmann::json tensors = nlohmann::json::array();
    for (const WorkTensor& tensor : signature.tensors)
        tensors.push_back({{"name", tensor.name},
                           {"output", tensor.role == TensorRole::Output},
                           {"type", nameOf(tensor.type)},
                           {"shape", tensor.shape}});
    return dumpJson({{"digest", signature.digest},
                     {"tensors", tensors},
                     {"flops", signature.flops},
                     {"bytes", signature.compulsoryBytes}});
}

Result<OperatorSignature> parseSignature(std::string_view text)
{
    SPARSERL_TRY(const auto json, parseJson(text));
    OperatorSignature signature;
    SPARSERL_TRY(signature.digest, jsonRequire<std::string>(json, "digest"));
    SPARSERL_TRY(signature.flops, jsonRequire<double>(json, "flops"));
    SPARSERL_TRY(signature.compulsoryBytes, jsonRequire<std::int64_t>(json, "bytes"));
    SPARSERL_TRY(const auto tensors, jsonRequire<nlohmann::json>(json, "tensors"));
    if (!tensors.is_array() || tensors.size() > mostTensors || !(signature.flops >= 0) ||
        !(signature.flops <= mostWork) || signature.compulsoryBytes < 0)
        return fail("the signature of an operator is damaged");
    std::set<std::string> names;
    bool hasOutput = false;
    for (const auto& one : tensors) {
        SPARSERL_TRY(auto tensor, tensorOf(one));
        if (!names.insert(tensor.name).second)
            return fail("two tensors of an operator have the same name");
        hasOutput = hasOutput || tensor.role == TensorRole::Output;
        signature.tensors.push_back(std::move(tensor));
    }
    if (!hasOutput)
        return fail("an operator has no output");
    return signature;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "base/json_number.h"
#include "operator/graph/graph_file.h"

#include <cmath>

namespace sparserl {

namespace {

using nlohmann::json;

struct ArgumentWriter
{
    json operator()(std::monostate) const { return nullptr; }
    json operator()(bool value) const { return value; }
    json operator()(std::int64_t value) const { return value; }
    json operator()(double value) const
    {
        return std::isfinite(value) ? json(value) : json{{"f", jsonFromNumber(value)}};
    }
    json operator()(const std::string& value) const { return value; }
    json operator()(ValueRef value) const { return {{"v", value.number}}; }
    json operator()(TensorElement value) const { return {{"dtype", torchNameOf(value)}}; }
    json operator()(StridedLayout) const { return {{"layout", "strided"}}; }
    json operator()(OwnDevice) const { return {{"device", "cpu"}}; }
    json operator()(MemoryFormat value) const
    {
        constexpr const char* formats[] = {"contiguous_format", "preserve_format", "channels_last",
                                           "channels_last_3d"};
        return {{"memory_format", formats[static_cast<std::size_t>(value)]}};
    }
    json operator()(const std::vector<GraphArgument>& items) const
    {
        json list = json::array();
        for (const GraphArgument& item : items)
            list.push_back(std::visit(*this, item.value));
        return list;
    }
};

json toJson(const GraphArgument& argument)
{
    return std::visit(ArgumentWriter{}, argument.value);
}

json toJson(const TensorType& type)
{
    json entry = {nameOf(type.element), type.shape};
    if (!type.strides.empty())
        entry.push_back(type.strides);
    return entry;
}

json toJson(const GraphNode& node)
{
    json entry = {{"op", "aten::" + node.op}};
    if (!node.overload.empty())
        entry["overload"] = node.overload;
    entry["arguments"] = json::array();
    for (const GraphArgument& argument : node.arguments)
        entry["arguments"].push_back(toJson(argument));
    for (const auto& [name, argument] : node.named)
        entry["named"][name] = toJson(argument);
    entry["outputs"] = json::array();
    for (const int number : node.outputs)
        entry["outputs"].push_back(number < 0 ? json() : json(number));
    return entry;
}

template <typename Tensor>
json tensorEntry(const Tensor& tensor)
{
    json entry = {{"name", tensor.name}, {"value", tensor.value}};
    if (tensor.fill)
        entry["fill"] = toJson(*tensor.fill);
    return entry;
}

} // namespace

json toJson(const OperatorGraph& graph)
{
    json all = {{"format", 1}};
    for (const auto& [key, text] : {std::pair{"name", &graph.name}, std::pair{"size", &graph.size},
                                    std::pair{"mode", &graph.mode}, std::pair{"recorder", &graph.recorder}})
        if (!text->empty())
            all[key] = *text;
    if (graph.dependsOnValues)
        all["depends_on_values"] = true;
    for (const char* const key : {"values", "inputs", "weights", "nodes", "outputs"})
        all[key] = json::array();
    for (const TensorType& type : graph.values)
        all["values"].push_back(toJson(type));
    for (const GraphInput& input : graph.inputs)
        all["inputs"].push_back(tensorEntry(input));
    for (const BakedInput& input : graph.baked)
        all["inputs"].push_back({{"name", input.name}, {"baked", input.text}});
    for (const GraphWeight& weight : graph.weights) {
        all["weights"].push_back(tensorEntry(weight));
        all["weights"].back()["kind"] = nameOf(weight.kind);
    }
    for (const GraphNode& node : graph.nodes)
        all["nodes"].push_back(toJson(node));
    for (const GraphOutput& output : graph.outputs)
        all["outputs"].push_back({{"name", output.name}, {"value", output.value}});
    return all;
}

} // namespace sparserl

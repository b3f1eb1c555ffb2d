// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/graph_file.h"
#include "operator/import/operator_task.h"

#include <QtGlobal>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

// Operator tasks for tests of the judge, each at two sizes.

namespace sparserl::tests {

/// A tensor of a graph: its name and its shape.
struct Named
{
    std::string name;
    std::vector<std::int64_t> shape;
};

/// A graph with one call. Values are numbered in the order inputs, weights, outputs.
inline OperatorGraph oneCall(const std::string& size, const std::string& op, const std::string& overload,
                             const std::string& arguments, const std::vector<Named>& inputs,
                             const std::vector<Named>& weights, const std::vector<Named>& outputs)
{
    nlohmann::json graph, node;
    graph["format"] = 1;
    graph["name"] = op;
    graph["size"] = size;
    for (const char* list : {"values", "inputs", "weights", "outputs"})
        graph[list] = nlohmann::json::array();
    node["op"] = "aten::" + op;
    node["arguments"] = nlohmann::json::parse(arguments);
    if (!overload.empty())
        node["overload"] = overload;
    const auto add = [&](const char* list, const std::vector<Named>& tensors, bool filled) {
        for (const Named& one : tensors) {
            nlohmann::json tensor;
            tensor["name"] = one.name;
            tensor["value"] = graph["values"].size();
            if (filled)
                tensor["fill"]["normal"] = {0, 1};
            graph["values"].push_back({"F32", one.shape});
            if (!filled)
                node["outputs"].push_back(tensor["value"]);
            graph[list].push_back(std::move(tensor));
        }
    };
    add("inputs", inputs, true);
    add("weights", weights, true);
    add("outputs", outputs, false);
    graph["nodes"] = nlohmann::json::array({node});
    auto read = graphFromJson(graph);
    if (!read)
        qFatal("%s", read.error().sentence().c_str());
    return std::move(*read);
}

/// A task at a size m x n and at another one.
inline OperatorTask
taskOf(const std::function<OperatorGraph(const std::string&, std::int64_t, std::int64_t)>& at)
{
    OperatorTask task;
    task.own.graph = at("base", 24, 40);
    task.others.emplace_back().graph = at("odd1", 13, 37);
    return task;
}

inline OperatorTask reluTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return oneCall(size, "relu", "", R"([{"v": 0}])", {{"x", {m, n}}}, {}, {{"y", {m, n}}});
    });
}
inline OperatorTask biasTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return oneCall(size, "add", "Tensor", R"([{"v": 0}, {"v": 1}])", {{"x", {m, n}}},
                       {{"layer.0.bias", {n}}}, {{"y", {m, n}}});
    });
}
inline OperatorTask rowSumTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return oneCall(size, "sum", "dim_IntList", R"([{"v": 0}, [1]])", {{"x", {m, n}}}, {}, {{"y", {m}}});
    });
}
inline OperatorTask columnMaxTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return oneCall(size, "amax", "", R"([{"v": 0}, [0]])", {{"x", {m, n}}}, {}, {{"y", {n}}});
    });
}
inline OperatorTask softmaxTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return oneCall(size, "_softmax", "", R"([{"v": 0}, 1, false])", {{"x", {m, n}}}, {}, {{"y", {m, n}}});
    });
}
/// With three outputs: the result, the means and the reciprocal deviations.
inline OperatorTask layerNormTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return oneCall(size, "native_layer_norm", "",
                       fmt::format(R"([{{"v": 0}}, [{}], {{"v": 1}}, {{"v": 2}}, 1e-5])", n), {{"x", {m, n}}},
                       {{"norm.weight", {n}}, {"norm.bias", {n}}},
                       {{"y", {m, n}}, {"mean", {m, 1}}, {"rstd", {m, 1}}});
    });
}
inline OperatorTask scanTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return oneCall(size, "cumsum", "", R"([{"v": 0}, 1])", {{"x", {m, n}}}, {}, {{"y", {m, n}}});
    });
}
inline OperatorTask poolTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return oneCall(size, "avg_pool2d", "", R"([{"v": 0}, [2, 2]])", {{"x", {2, 3, m, n}}}, {},
                       {{"y", {2, 3, m / 2, n / 2}}});
    });
}
inline OperatorTask matmulTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return oneCall(size, "mm", "", R"([{"v": 0}, {"v": 1}])", {{"a", {m, n}}, {"b", {n, m + 5}}}, {},
                       {{"y", {m, m + 5}}});
    });
}
/// Columns become rows; the second call makes the result more than a view.
inline OperatorTask transposeTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        auto read = parseGraph(fmt::format(
            R"({{"format": 1, "name": "transpose", "size": "{0}",
                 "values": [["F32", [{1}, {2}]], ["F32", [{2}, {1}], [1, {2}]], ["F32", [{2}, {1}], [1, {2}]]],
                 "inputs": [{{"name": "x", "value": 0, "fill": {{"normal": [0, 1]}}}}],
                 "nodes": [{{"op": "aten::t", "arguments": [{{"v": 0}}], "outputs": [1]}},
                           {{"op": "aten::relu", "arguments": [{{"v": 1}}], "outputs": [2]}}],
                 "outputs": [{{"name": "y", "value": 2}}]}})",
            size, m, n));
        if (!read)
            qFatal("%s", read.error().sentence().c_str());
        return std::move(*read);
    });
}
/// A tensor times a single number.
inline OperatorTask scaleTask()
{
    return taskOf([](const auto& size, std::int64_t m, std::int64_t n) {
        return oneCall(size, "mul", "Tensor", R"([{"v": 0}, {"v": 1}])", {{"x", {m, n}}, {"s", {}}}, {},
                       {{"y", {m, n}}});
    });
}

} // namespace sparserl::tests

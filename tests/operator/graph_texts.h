// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/graph_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>

namespace sparserl::tests {

/// relu(x w + b), written as PyTorch 1.13 records it: with a transposed weight.
inline nlohmann::json linearGraph()
{
    return nlohmann::json::parse(R"({
        "format": 1, "name": "linear", "size": "base", "mode": "train", "recorder": "torch 1.13.0",
        "values": [["F32", [2, 3]], ["F32", [4, 3]], ["F32", [4]], ["F32", [3, 4], [1, 3]], ["F32", [2, 4]],
                   ["F32", [2, 4]]],
        "inputs": [{"name": "x", "value": 0, "fill": {"uniform": [0, 1]}}],
        "weights": [{"name": "fc.weight", "kind": "parameter", "value": 1, "fill": {"normal": [0, 0.5]}},
                    {"name": "fc.bias", "kind": "parameter", "value": 2, "fill": {"constant": 0.25}}],
        "nodes": [
            {"op": "aten::t", "arguments": [{"v": 1}], "outputs": [3]},
            {"op": "aten::addmm", "arguments": [{"v": 2}, {"v": 0}, {"v": 3}], "outputs": [4]},
            {"op": "aten::relu", "arguments": [{"v": 4}], "outputs": [5]}],
        "outputs": [{"name": "out", "value": 5}]})");
}

/// A graph with one input, one node and one output, all F32 of these sizes.
inline nlohmann::json oneNode(const std::string& op, const std::string& arguments,
                              const std::string& input = "[2, 3]", const std::string& output = "[2, 3]",
                              const std::string& overload = "")
{
    return nlohmann::json::parse(fmt::format(
        R"({{"format": 1, "values": [["F32", {}], ["F32", {}]],
             "inputs": [{{"name": "x", "value": 0, "fill": {{"normal": [0, 1]}}}}],
             "nodes": [{{"op": "aten::{}", "overload": "{}", "arguments": {}, "outputs": [1]}}],
             "outputs": [{{"name": "out", "value": 1}}]}})",
        input, output, op, overload, arguments));
}

} // namespace sparserl::tests

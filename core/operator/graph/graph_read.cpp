// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/format_number.h"
#include "base/json.h"
#include "base/json_member.h"
#include "base/json_number.h"
#include "operator/graph/graph_file.h"
#include "operator/graph/known_operators.h"
#include "operator/graph/shown_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace sparserl {

namespace {

using nlohmann::json;

constexpr int knownFormat = 1;
const char* const remedy = "Import the task again, or correct the graph (docs/formats.md 8)";

/// Returns a name from the file as messages show it.
std::string inQuotes(const std::string& text)
{
    return "\"" + shownName(text) + "\"";
}

/// Returns the list under a key, or an empty list if there is none.
Result<const json::array_t*> listOf(const json& object, const char* key, std::size_t most)
{
    static const json::array_t none;
    const json* const member = memberOf(object, key);
    if (!member)
        return &none;
    const auto* const list = member->get_ptr<const json::array_t*>();
    if (!list)
        return fail(fmt::format("\"{}\" is not a list", key));
    if (list->size() > most)
        return fail(fmt::format("\"{}\" has {} entries, and {} are the most", key, list->size(), most));
    return list;
}

Result<std::string> textOf(const json& object, const char* key, bool required)
{
    const json* const member = memberOf(object, key);
    if (!member && !required)
        return std::string();
    const auto* const text = member ? member->get_ptr<const std::string*>() : nullptr;
    if (!text)
        return fail(fmt::format("\"{}\" is not text", key));
    if (text->size() > GraphLimits::nameBytes || (required && text->empty()))
        return fail(fmt::format("\"{}\" is empty or longer than {} bytes", key, GraphLimits::nameBytes));
    return *text;
}

Result<std::vector<std::int64_t>> wholeNumbers(const json& value, const char* what)
{
    auto numbers = jsonAs<std::vector<std::int64_t>>(value);
    if (!numbers || numbers->size() > GraphLimits::dimensions)
        return fail(
            fmt::format("its {} is not a list of at most {} whole numbers", what, GraphLimits::dimensions));
    return std::move(*numbers);
}

/// Returns the number of elements that a tensor of this type spans in memory. Returns nullopt if an extent or
/// a stride is negative, or if there are too many elements.
std::optional<std::int64_t> spanOf(const TensorType& type)
{
    std::int64_t count = 1, last = 0;
    for (std::size_t i = 0; i < type.shape.size(); ++i) {
        const std::int64_t extent = type.shape[i];
        if (extent < 0 || extent > GraphLimits::extent ||
            __builtin_mul_overflow(count, std::max<std::int64_t>(extent, 1), &count) ||
            count > GraphLimits::elements)
            return std::nullopt;
        std::int64_t step = 0;
        if (!type.strides.empty() &&
            (type.strides[i] < 0 ||
             __builtin_mul_overflow(type.strides[i], std::max<std::int64_t>(extent - 1, 0), &step) ||
             __builtin_add_overflow(last, step, &last) || last >= GraphLimits::elements))
            return std::nullopt;
    }
    return std::max(count, last + 1);
}

Result<TensorType> typeFromJson(const json& entry)
{
    const auto* const parts = entry.get_ptr<const json::array_t*>();
    if (!parts || parts->size() < 2 || parts->size() > 3 || !parts->front().is_string())
        return fail("it is not [TYPE, SHAPE] or [TYPE, SHAPE, STRIDES]");
    TensorType type;
    const auto& name = parts->front().get_ref<const std::string&>();
    const auto element = tensorElementFromName(name);
    if (!element)
        return fail("its element type " + inQuotes(name) +
                    " is none of F64, F32, F16, BF16, I64, I32, U8 and BOOL");
    type.element = *element;
    SPARSERL_TRY(type.shape, wholeNumbers((*parts)[1], "shape"));
    if (parts->size() > 2) {
        SPARSERL_TRY(type.strides, wholeNumbers((*parts)[2], "list of strides"));
    }
    if (parts->size() > 2 && type.strides.size() != type.shape.size())
        return fail("it has as many strides as its shape has extents, or none");
    if (!spanOf(type))
        return fail("its shape is negative or has more elements than a graph may have");
    return type;
}

Result<GraphArgument> argumentFromJson(const json& value, std::size_t depth);

Result<GraphArgument> wordFromJson(const json& value)
{
    if (value.size() == 1) {
        const std::string& key = value.begin().key();
        const json& item = value.begin().value();
        const auto* const text = item.get_ptr<const std::string*>();
        if (key == "v") {
            if (const auto number = jsonAs<int>(item))
                return GraphArgument{ValueRef{*number}};
        } else if (key == "f") {
            const auto number = text ? numberFromJson(item) : std::nullopt;
            if (number)
                return GraphArgument{*number};
        } else if (key == "dtype" && text) {
            if (const auto element = tensorElementFromTorchName(*text))
                return GraphArgument{*element};
        } else if (key == "layout" && text && *text == "strided") {
            return GraphArgument{StridedLayout{}};
        } else if (key == "device" && text) {
            return GraphArgument{OwnDevice{}};
        } else if (key == "memory_format" && text) {
            constexpr std::string_view formats[] = {"contiguous_format", "preserve_format", "channels_last",
                                                    "channels_last_3d"};
            const auto* const found = std::find(std::begin(formats), std::end(formats), *text);
            if (found != std::end(formats))
                return GraphArgument{static_cast<MemoryFormat>(found - std::begin(formats))};
        }
    }
    return fail(
        "an argument is an object that means nothing here, such as a data type that is not supported");
}

Result<GraphArgument> argumentFromJson(const json& value, std::size_t depth)
{
    switch (value.type()) {
    case json::value_t::null:
        return GraphArgument{};
    case json::value_t::boolean:
        return GraphArgument{value.get<bool>()};
    case json::value_t::number_integer:
    case json::value_t::number_unsigned:
        if (const auto whole = jsonAs<std::int64_t>(value))
            return GraphArgument{*whole};
        return fail("a whole number among its arguments has more than 64 bits");
    case json::value_t::number_float:
        return GraphArgument{value.get<double>()};
    case json::value_t::string:
        if (value.get_ref<const std::string&>().size() > GraphLimits::nameBytes)
            return fail("a text among its arguments is too long");
        return GraphArgument{value.get<std::string>()};
    case json::value_t::object:
        return wordFromJson(value);
    case json::value_t::array: {
        if (depth == 0 || value.size() > GraphLimits::listItems)
            return fail(fmt::format("a list among its arguments is nested or has more than {} items",
                                    GraphLimits::listItems));
        std::vector<GraphArgument> items;
        for (const json& item : value) {
            SPARSERL_TRY(auto argument, argumentFromJson(item, depth - 1));
            items.push_back(std::move(argument));
        }
        return GraphArgument{std::move(items)};
    }
    default:
        return fail("an argument is of no type that arguments have");
    }
}

Status checkOperator(const std::string& full, std::string_view name, const std::string& overload)
{
    if (full.size() == name.size())
        return fail("calls " + inQuotes(full) + ", and operators are named aten::NAME");
    if (isRandomOperator(name))
        return fail("calls " + inQuotes(full) + ", which draws random numbers: no oracle can repeat it");
    if (!operatorKind(name))
        return fail("calls " + inQuotes(full) + ", which is none of the operators that a graph may call");
    if (overload == "out" || overload.ends_with("_out"))
        return fail("calls " + inQuotes(full) + " in the form that writes into an argument");
    return {};
}

class GraphReader
{
public:
    explicit GraphReader(const json& json)
        : m_json(json)
    {
    }

    Result<OperatorGraph> read()
    {
        SPARSERL_CHECK(readHead());
        SPARSERL_CHECK(readValues());
        m_made.assign(m_graph.values.size(), false);
        SPARSERL_CHECK(readInputs());
        SPARSERL_CHECK(readWeights());
        SPARSERL_CHECK(readNodes());
        SPARSERL_CHECK(readOutputs());
        return std::move(m_graph);
    }

private:
    template <typename Read>
    static Status each(const json::array_t& list, const char* what, const Read& read)
    {
        for (std::size_t i = 0; i < list.size(); ++i) {
            const Status done = list[i].is_object() ? read(list[i]) : fail("it is not an object");
            if (!done)
                return fail(fmt::format("{} {}: {}", what, i, done.error().what));
        }
        return {};
    }

    Status readHead()
    {
        SPARSERL_TRY(m_graph.name, textOf(m_json, "name", false));
        SPARSERL_TRY(m_graph.size, textOf(m_json, "size", false));
        SPARSERL_TRY(m_graph.mode, textOf(m_json, "mode", false));
        SPARSERL_TRY(m_graph.recorder, textOf(m_json, "recorder", false));
        m_graph.dependsOnValues = jsonValue<bool>(m_json, "depends_on_values", false);
        return {};
    }

    Status readValues()
    {
        SPARSERL_TRY(const auto* const list, listOf(m_json, "values", GraphLimits::values));
        for (const json& entry : *list) {
            auto type = typeFromJson(entry);
            if (!type)
                return fail(fmt::format("value {}: {}", m_graph.values.size(), type.error().what));
            m_graph.values.push_back(std::move(*type));
        }
        return {};
    }

    Status checkNumber(int number) const
    {
        if (number < 0 || static_cast<std::size_t>(number) >= m_graph.values.size())
            return fail(
                fmt::format("there is no value {}, for the graph has {}", number, m_graph.values.size()));
        return {};
    }
    Status checkUse(int number) const
    {
        SPARSERL_CHECK(checkNumber(number));
        if (!m_made[static_cast<std::size_t>(number)])
            return fail(fmt::format("it uses value {} before that is made", number));
        return {};
    }
    Status make(int number)
    {
        SPARSERL_CHECK(checkNumber(number));
        if (m_made[static_cast<std::size_t>(number)])
            return fail(fmt::format("it makes value {} a second time", number));
        m_made[static_cast<std::size_t>(number)] = true;
        return {};
    }

    /// Reads the name, the number and the fill of an input or a weight.
    template <typename Tensor>
    Status readTensor(const json& entry, Tensor& tensor)
    {
        SPARSERL_TRY(tensor.name, textOf(entry, "name", true));
        if (!m_names.insert(tensor.name).second)
            return fail("the name " + inQuotes(tensor.name) + " is taken");
        SPARSERL_TRY(tensor.value, jsonRequire<int>(entry, "value"));
        SPARSERL_CHECK(make(tensor.value));
        if (const json* const fill = memberOf(entry, "fill")) {
            SPARSERL_TRY(tensor.fill, fillFromJson(*fill));
        }
        return {};
    }

    Status readInputs()
    {
        SPARSERL_TRY(const auto* const list, listOf(m_json, "inputs", GraphLimits::tensors));
        return each(*list, "input", [this](const json& entry) -> Status {
            if (memberOf(entry, "baked")) {
                BakedInput baked;
                SPARSERL_TRY(baked.name, textOf(entry, "name", true));
                SPARSERL_TRY(baked.text, textOf(entry, "baked", false));
                m_graph.baked.push_back(std::move(baked));
                return {};
            }
            return readTensor(entry, m_graph.inputs.emplace_back());
        });
    }

    Status readWeights()
    {
        SPARSERL_TRY(const auto* const list, listOf(m_json, "weights", GraphLimits::tensors));
        return each(*list, "weight", [this](const json& entry) -> Status {
            GraphWeight& weight = m_graph.weights.emplace_back();
            SPARSERL_TRY(const auto kind, textOf(entry, "kind", false));
            bool known = kind.empty();
            for (const auto each : {WeightKind::Parameter, WeightKind::Buffer, WeightKind::Constant})
                if (kind == nameOf(each)) {
                    weight.kind = each;
                    known = true;
                }
            if (!known)
                return fail("its kind " + inQuotes(kind) + " is none of parameter, buffer and constant");
            return readTensor(entry, weight);
        });
    }

    Status readArguments(const json& entry, GraphNode& node)
    {
        SPARSERL_TRY(const auto* const list, listOf(entry, "arguments", GraphLimits::arguments));
        for (const json& item : *list) {
            SPARSERL_TRY(auto argument, argumentFromJson(item, GraphLimits::depth));
            node.arguments.push_back(std::move(argument));
        }
        const json* const named = memberOf(entry, "named");
        if (named && (!named->is_object() || named->size() > GraphLimits::arguments))
            return fail("\"named\" is not an object of arguments");
        if (named)
            for (const auto& [name, item] : named->items()) {
                if (name.empty() || name.size() > GraphLimits::nameBytes)
                    return fail("the name of an argument is empty or too long");
                SPARSERL_TRY(auto argument, argumentFromJson(item, GraphLimits::depth));
                std::vector<int> references;
                appendReferences(argument, references);
                if (!references.empty())
                    return fail("the argument " + inQuotes(name) + " is a value, and values have no names");
                node.named.emplace_back(name, std::move(argument));
            }
        return {};
    }

    Status readNode(const json& entry)
    {
        GraphNode node;
        SPARSERL_TRY(const auto full, textOf(entry, "op", true));
        SPARSERL_TRY(node.overload, textOf(entry, "overload", false));
        constexpr std::string_view prefix = "aten::";
        node.op = full.starts_with(prefix) ? full.substr(prefix.size()) : full;
        SPARSERL_CHECK(checkOperator(full, node.op, node.overload));
        SPARSERL_CHECK(readArguments(entry, node));
        const auto uses = referencesOf(node);
        for (const int number : uses)
            SPARSERL_CHECK(checkUse(number));
        SPARSERL_TRY(const auto* const outputs, listOf(entry, "outputs", GraphLimits::listItems));
        for (const json& output : *outputs) {
            const auto number = output.is_null() ? std::optional(-1) : jsonAs<int>(output);
            if (!number)
                return fail("a result is not the number of a value");
            node.outputs.push_back(*number);
            if (output.is_null() || std::find(uses.begin(), uses.end(), *number) != uses.end())
                continue;
            SPARSERL_CHECK(make(*number));
        }
        m_graph.nodes.push_back(std::move(node));
        return {};
    }

    Status readNodes()
    {
        SPARSERL_TRY(const auto* const list, listOf(m_json, "nodes", GraphLimits::nodes));
        return each(*list, "node", [this](const json& entry) { return readNode(entry); });
    }

    Status readOutputs()
    {
        SPARSERL_TRY(const auto* const list, listOf(m_json, "outputs", GraphLimits::outputs));
        if (list->empty())
            return fail("the graph has no output");
        return each(*list, "output", [this](const json& entry) -> Status {
            GraphOutput& output = m_graph.outputs.emplace_back();
            SPARSERL_TRY(output.name, textOf(entry, "name", true));
            SPARSERL_TRY(output.value, jsonRequire<int>(entry, "value"));
            return checkUse(output.value);
        });
    }

    const json& m_json;
    OperatorGraph m_graph;
    std::vector<bool> m_made;
    std::set<std::string> m_names;
};

} // namespace

Result<OperatorGraph> graphFromJson(const json& json, const std::string& file)
{
    if (!json.is_object() || !json.contains("nodes") || !json.contains("values"))
        return failAt(file, 0, "this is not the graph of an operator task", remedy);
    SPARSERL_CHECK(checkFormat(json, knownFormat, "the graph", file));
    auto graph = GraphReader(json).read();
    if (!graph)
        return failAt(file, 0, graph.error().what,
                      graph.error().remedy.empty() ? remedy : graph.error().remedy);
    return graph;
}

Result<OperatorGraph> parseGraph(std::string_view text, const std::string& file)
{
    if (text.size() > GraphLimits::fileBytes)
        return failAt(file, 0, "a graph of this length is not read", remedy);
    SPARSERL_TRY(const auto json, parseJson(text, file));
    return graphFromJson(json, file);
}

Result<OperatorGraph> readGraph(const std::filesystem::path& file)
{
    SPARSERL_TRY(const auto text, readFile(file, GraphLimits::fileBytes));
    return parseGraph(text, file.string());
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "operator/run/call_arguments.h"

#include "base/failure.h"
#include "base/printable.h"
#include "operator/graph/known_operators.h"

#include <ATen/ScalarOps.h>
#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

using c10::IValue;
using c10::TypeKind;

struct TypePair
{
    TensorElement element;
    c10::ScalarType type;
};
constexpr TypePair typePairs[] = {{TensorElement::F64, at::kDouble}, {TensorElement::F32, at::kFloat},
                                  {TensorElement::F16, at::kHalf},   {TensorElement::BF16, at::kBFloat16},
                                  {TensorElement::I64, at::kLong},   {TensorElement::I32, at::kInt},
                                  {TensorElement::U8, at::kByte},    {TensorElement::Bool, at::kBool}};

/// Converts the arguments of one call.
class Converter
{
public:
    Converter(const std::vector<at::Tensor>& values, RunPrecision precision)
        : m_values(values)
        , m_precision(precision)
    {
    }

    IValue convert(const GraphArgument& from, const c10::Type& type,
                   std::optional<std::int32_t> repeated) const
    {
        switch (type.kind()) {
        case TypeKind::OptionalType:
            return from.isNone()
                       ? IValue()
                       : convert(from, *type.castRaw<c10::OptionalType>()->getElementType(), repeated);
        case TypeKind::TensorType:
            return tensor(from);
        case TypeKind::NumberType:
            return scalar(from);
        case TypeKind::FloatType:
            return real(from);
        case TypeKind::BoolType:
            return truth(from);
        case TypeKind::StringType:
            if (const auto* const text = std::get_if<std::string>(&from.value))
                return *text;
            break;
        case TypeKind::DeviceObjType:
            return c10::Device(at::kCPU);
        case TypeKind::ScalarTypeType:
        case TypeKind::LayoutType:
        case TypeKind::MemoryFormatType:
        case TypeKind::SymIntType:
        case TypeKind::IntType:
            return whole(from);
        case TypeKind::ListType:
            return list(from, *type.castRaw<c10::ListType>()->getElementType(), repeated);
        default:
            break;
        }
        refuse(type.str());
    }

private:
    [[noreturn]] static void refuse(const std::string& wanted)
    {
        throw Failure({"an argument is not of the type " + wanted + " that the operator takes"});
    }

    static c10::Scalar scalar(const GraphArgument& from)
    {
        if (const auto* const truth = std::get_if<bool>(&from.value))
            return *truth;
        if (const auto* const whole = std::get_if<std::int64_t>(&from.value))
            return *whole;
        if (const auto* const real = std::get_if<double>(&from.value))
            return *real;
        refuse("number");
    }

    static double real(const GraphArgument& from)
    {
        const auto number = from.number();
        if (!number)
            refuse("float");
        return *number;
    }

    static bool truth(const GraphArgument& from)
    {
        const auto* const value = std::get_if<bool>(&from.value);
        if (!value)
            refuse("bool");
        return *value;
    }

    /// Converts a whole number, a data type, a layout or a memory format. LibTorch passes all of them as
    /// whole numbers.
    std::int64_t whole(const GraphArgument& from) const
    {
        if (const auto* const number = std::get_if<std::int64_t>(&from.value))
            return *number;
        if (const auto* const element = std::get_if<TensorElement>(&from.value))
            return static_cast<std::int64_t>(scalarTypeOf(*element, m_precision));
        if (std::holds_alternative<StridedLayout>(from.value))
            return static_cast<std::int64_t>(c10::kStrided);
        if (const auto* const format = std::get_if<MemoryFormat>(&from.value)) {
            constexpr c10::MemoryFormat formats[] = {
                c10::MemoryFormat::Contiguous, c10::MemoryFormat::Preserve, c10::MemoryFormat::ChannelsLast,
                c10::MemoryFormat::ChannelsLast3d};
            return static_cast<std::int64_t>(formats[static_cast<std::size_t>(*format)]);
        }
        refuse("int");
    }

    at::Tensor tensor(const GraphArgument& from) const
    {
        if (const auto number = from.reference()) {
            const at::Tensor& value = m_values[static_cast<std::size_t>(*number)];
            if (!value.defined())
                throw Failure({fmt::format("value {} is None", *number)});
            return value;
        }
        if (from.isNone())
            return {};
        // A number in place of a tensor still counts as a number in type promotion, as in Python.
        at::Tensor number = c10::scalar_to_tensor(scalar(from));
        number.unsafeGetTensorImpl()->set_wrapped_number(true);
        return number;
    }

    template <typename T, typename Convert>
    static IValue listOf(const std::vector<GraphArgument>& items, const Convert& convert)
    {
        c10::List<T> list;
        list.reserve(items.size());
        for (const GraphArgument& item : items)
            list.push_back(convert(item));
        return list;
    }

    /// Converts a list. A single number stands for a list of `repeated` equal numbers.
    IValue list(const GraphArgument& from, const c10::Type& element,
                std::optional<std::int32_t> repeated) const
    {
        constexpr std::int32_t mostRepeated = 16;
        std::vector<GraphArgument> copies;
        const auto* items = from.list();
        if (!items) {
            if (from.isNone())
                refuse("list");
            copies.assign(static_cast<std::size_t>(std::clamp(repeated.value_or(1), 1, mostRepeated)), from);
            items = &copies;
        }
        switch (element.kind()) {
        case TypeKind::SymIntType:
        case TypeKind::IntType:
            return listOf<std::int64_t>(*items, [&](const GraphArgument& item) { return whole(item); });
        case TypeKind::FloatType:
            return listOf<double>(*items, [&](const GraphArgument& item) { return real(item); });
        case TypeKind::BoolType:
            return listOf<bool>(*items, [&](const GraphArgument& item) { return truth(item); });
        case TypeKind::TensorType:
            return listOf<at::Tensor>(*items, [&](const GraphArgument& item) { return tensor(item); });
        case TypeKind::OptionalType:
            return listOf<std::optional<at::Tensor>>(*items, [&](const GraphArgument& item) {
                return item.isNone() ? std::optional<at::Tensor>() : tensor(item);
            });
        default:
            refuse("list of " + element.str());
        }
    }

    const std::vector<at::Tensor>& m_values;
    RunPrecision m_precision;
};

/// Returns the argument of the call that has this place and name in the schema, or nullptr.
const GraphArgument* givenArgument(const GraphNode& node, std::size_t place, const std::string& name)
{
    if (place < node.arguments.size())
        return &node.arguments[place];
    for (const auto& [key, argument] : node.named)
        if (key == name)
            return &argument;
    return nullptr;
}

} // namespace

c10::ScalarType scalarTypeOf(TensorElement element, RunPrecision precision)
{
    if (precision == RunPrecision::Double && isFloating(element))
        return at::kDouble;
    return typePairs[static_cast<std::size_t>(element)].type;
}

std::optional<TensorElement> elementOfScalarType(c10::ScalarType type)
{
    for (const TypePair& pair : typePairs)
        if (pair.type == type)
            return pair.element;
    return std::nullopt;
}

bool drawsNumbers(const GraphNode& node, const c10::FunctionSchema& schema)
{
    const auto& arguments = schema.arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& name = arguments[i].name();
        const auto* const given = givenArgument(node, i, name);
        const auto& otherwise = arguments[i].default_value();
        if (name == "p" || name == "dropout" || name == "dropout_p") {
            if (given ? given->number() == 0.0
                      : otherwise && otherwise->isDouble() && otherwise->toDouble() == 0)
                return false;
        } else if (name == "train" || name == "training") {
            if (given ? *given == GraphArgument{false}
                      : otherwise && otherwise->isBool() && !otherwise->toBool())
                return false;
        }
    }
    return true;
}

torch::jit::Stack callArguments(const GraphNode& node, const c10::FunctionSchema& schema,
                                const OperatorGraph& graph, const std::vector<at::Tensor>& values,
                                RunPrecision precision)
{
    const Converter converter(values, precision);
    const auto& arguments = schema.arguments();
    if (node.arguments.size() > arguments.size())
        throw Failure({fmt::format("it takes {} arguments, and the graph gives {}", arguments.size(),
                                   node.arguments.size())});
    for (const auto& [key, argument] : node.named)
        if (!schema.argumentIndexWithName(key))
            throw Failure({"it has no argument \"" + shortened(printableLine(key), 60) + "\""});
    const bool makes = operatorKind(node.op) == OperatorKind::Make;
    torch::jit::Stack stack;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const auto& wanted = arguments[i];
        const auto* const given = givenArgument(node, i, wanted.name());
        const int made = node.outputs.empty() ? -1 : node.outputs.front();
        if (makes && wanted.name() == "dtype" && (!given || given->isNone()) && made >= 0) {
            const auto element = graph.values[static_cast<std::size_t>(made)].element;
            stack.emplace_back(static_cast<std::int64_t>(scalarTypeOf(element, precision)));
        } else if (wanted.name() == "device" && (given || makes)) {
            stack.emplace_back(c10::Device(at::kCPU));
        } else if (wanted.name() == "pin_memory" || wanted.name() == "non_blocking") {
            stack.emplace_back(false);
        } else if (wanted.name() == "half_to_float" && precision == RunPrecision::Double) {
            stack.emplace_back(false);
        } else if (given) {
            stack.push_back(converter.convert(*given, *wanted.real_type(), wanted.N()));
        } else if (wanted.default_value()) {
            stack.push_back(*wanted.default_value());
        } else {
            throw Failure({"it lacks its argument " + wanted.name()});
        }
    }
    return stack;
}

} // namespace sparserl

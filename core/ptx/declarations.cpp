// SPDX-License-Identifier: Apache-2.0
#include "ptx/declarations.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <unordered_map>

namespace sparserl::ptx {

namespace {

constexpr std::int64_t maxVariableBytes = std::int64_t(1) << 30;
constexpr std::int64_t maxInitialBytes = std::int64_t(64) << 20;

/// What follows ".align".
Result<std::int64_t> readAlignment(TokenReader& reader)
{
    SPARSERL_TRY(const std::int64_t alignment, reader.integer("an alignment"));
    if (alignment < 1 || alignment > 4096 || (alignment & (alignment - 1)))
        return reader.error("an alignment is a power of two");
    return alignment;
}

void appendInitial(Variable& variable, const Number& value)
{
    const int width = bytesOf(variable.type);
    std::uint64_t stored = value.bits;
    if (value.floatBytes == 8 && width == 4) {
        double wide;
        std::memcpy(&wide, &stored, 8);
        const float narrow = static_cast<float>(wide);
        std::uint32_t word = 0;
        std::memcpy(&word, &narrow, 4);
        stored = word;
    }
    for (int i = 0; i < width; ++i)
        variable.initial.push_back(static_cast<std::byte>(stored >> (8 * i)));
}

/// What follows "=".
Status readInitial(TokenReader& reader, Variable& variable)
{
    if (variable.bytes > maxInitialBytes)
        return reader.error(fmt::format("the variable '{}' is too large", variable.name));
    const int width = bytesOf(variable.type);
    int depth = 0;
    do {
        if (reader.accept("{")) {
            if (++depth > 1) // A short row would be filled up.
                return reader.error("initial values in inner braces are not supported");
            continue;
        }
        if (reader.accept("}")) {
            --depth;
            continue;
        }
        if (reader.accept(","))
            continue;
        const bool negative = reader.accept("-");
        if (reader.peek().kind == Token::Kind::Number) {
            SPARSERL_TRY(const Number value, reader.number(negative));
            appendInitial(variable, value);
        } else if (reader.peek().kind == Token::Kind::Word) {
            variable.initialAddresses = true; // "name", "generic(name)", "name+4"
            reader.next();
            if (reader.accept("(")) {
                reader.next();
                SPARSERL_CHECK(reader.expect(")"));
            }
            while (reader.accept("+"))
                reader.next();
            variable.initial.resize(variable.initial.size() + width);
        } else {
            return reader.error(fmt::format("an initial value expected before '{}'", reader.peek().text));
        }
    } while (depth > 0 && static_cast<std::int64_t>(variable.initial.size()) <= variable.bytes + width);
    if (static_cast<std::int64_t>(variable.initial.size()) > variable.bytes)
        return reader.error(fmt::format("too many initial values for '{}'", variable.name));
    variable.initial.resize(variable.bytes);
    return {};
}

Result<Param> readParam(TokenReader& reader)
{
    SPARSERL_CHECK(reader.expect(".param"));
    Param param;
    bool aligned = false;
    bool pointer = false;
    while (true) {
        if (reader.accept(".align")) {
            SPARSERL_TRY(const std::int64_t alignment, readAlignment(reader));
            if (!pointer) {
                param.alignment = alignment;
                aligned = true;
            }
        } else if (reader.accept(".ptr")) {
            pointer = true;
        } else if (reader.is(".global") || reader.is(".shared") || reader.is(".const") ||
                   reader.is(".local")) {
            reader.next();
        } else if (const auto type = typeFromWord(reader.peek().text); type && *type != Type::Pred) {
            reader.next();
            param.type = *type;
        } else {
            break;
        }
    }
    if (param.type == Type::None)
        return reader.error(fmt::format("the type of a parameter expected before '{}'", reader.peek().text));
    if (!aligned)
        param.alignment = bytesOf(param.type);
    SPARSERL_TRY(param.name, reader.word("the name of a parameter"));
    if (reader.accept("[")) {
        param.array = true;
        param.elements = 0;
        if (!reader.is("]")) {
            SPARSERL_TRY(param.elements, reader.integer("an extent"));
        }
        SPARSERL_CHECK(reader.expect("]"));
    }
    if (param.elements > 65536)
        return reader.error(fmt::format("the parameter '{}' is too large", param.name));
    param.bytes = param.elements * bytesOf(param.type);
    return param;
}

} // namespace

std::optional<Type> typeFromWord(std::string_view word)
{
    static const std::unordered_map<std::string_view, Type> types = {
        {".pred", Type::Pred}, {".b8", Type::B8},   {".b16", Type::B16}, {".b32", Type::B32},
        {".b64", Type::B64},   {".u8", Type::U8},   {".u16", Type::U16}, {".u32", Type::U32},
        {".u64", Type::U64},   {".s8", Type::S8},   {".s16", Type::S16}, {".s32", Type::S32},
        {".s64", Type::S64},   {".f32", Type::F32}, {".f64", Type::F64}};
    const auto found = types.find(word);
    return found == types.end() ? std::nullopt : std::optional(found->second);
}

Result<Declared> readVariable(TokenReader& reader, Space space)
{
    Variable result;
    result.space = space;
    result.ptxLine = reader.peek().line;
    std::int64_t vector = 1;
    bool aligned = false;
    while (true) {
        if (reader.accept(".align")) {
            SPARSERL_TRY(result.alignment, readAlignment(reader));
            aligned = true;
        } else if (reader.accept(".v2")) {
            vector = 2;
        } else if (reader.accept(".v4")) {
            vector = 4;
        } else {
            break;
        }
    }
    const auto type = typeFromWord(reader.peek().text);
    if (!type || *type == Type::Pred)
        return reader.error(fmt::format("the type of a variable expected before '{}'", reader.peek().text));
    reader.next();
    result.type = *type;
    if (!aligned)
        result.alignment = bytesOf(*type) * vector;
    SPARSERL_TRY(const std::string_view name, reader.word("the name of a variable"));
    result.name = std::string(name);
    result.bytes = bytesOf(*type) * vector;
    int dimensions = 0;
    while (reader.accept("[")) {
        ++dimensions;
        std::int64_t extent = 0;
        if (!reader.is("]")) {
            SPARSERL_TRY(extent, reader.integer("an extent"));
        }
        SPARSERL_CHECK(reader.expect("]"));
        if (extent && result.bytes > maxVariableBytes / extent)
            return reader.error(fmt::format("the variable '{}' is too large", result.name));
        result.bytes *= extent;
    }
    if (reader.accept("=")) {
        if (dimensions > 1)
            return reader.error("initial values of more than one dimension are not supported");
        SPARSERL_CHECK(readInitial(reader, result));
    }
    SPARSERL_CHECK(reader.expect(";"));
    return Declared{std::move(result), name};
}

Result<std::vector<Param>> readParams(TokenReader& reader)
{
    std::vector<Param> result;
    SPARSERL_CHECK(reader.expect("("));
    while (!reader.accept(")")) {
        if (!result.empty())
            SPARSERL_CHECK(reader.expect(","));
        SPARSERL_TRY(Param param, readParam(reader));
        param.index = static_cast<int>(result.size());
        result.push_back(std::move(param));
    }
    return result;
}

void noteDirective(std::vector<std::string>& list, std::string_view directive)
{
    if (std::find(list.begin(), list.end(), directive) == list.end())
        list.emplace_back(directive);
}

} // namespace sparserl::ptx

// SPDX-License-Identifier: Apache-2.0
#include "ptx/operands.h"
#include "ptx/special_registers.h"

#include <fmt/format.h>
#include <limits>

namespace sparserl::ptx {

namespace {

class OperandReader
{
public:
    OperandReader(TokenReader& reader, Scopes& scopes, Function& function)
        : m_reader(reader)
        , m_scopes(scopes)
        , m_function(function)
    {
    }
    Result<Operand> read(bool mayLabel, int depth);

private:
    /// Operands up to `close`.
    Result<Operand> list(Operand::Kind kind, std::string_view close, int depth);
    /// What follows "[".
    Result<Operand> address();
    /// Number, possibly behind a "-".
    Result<Operand> number();
    Status name(Operand& result, bool mayLabel);
    /// "+4" and the like, any number of them.
    Status offset(Operand& result);

    TokenReader& m_reader;
    Scopes& m_scopes;
    Function& m_function;
};

Status OperandReader::offset(Operand& result)
{
    while (m_reader.accept("+")) { // "[%r1-4]" is none
        const bool negative = m_reader.accept("-");
        if (m_reader.peek().kind != Token::Kind::Number)
            return m_reader.error(fmt::format("an offset expected before '{}'", m_reader.peek().text));
        SPARSERL_TRY(const Number value, m_reader.number(negative));
        if (value.floatBytes)
            return m_reader.error("an offset is an integer");
        result.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(result.offset) + value.bits);
        if (result.offset < std::numeric_limits<std::int32_t>::min() ||
            result.offset > std::numeric_limits<std::int32_t>::max())
            return m_reader.error("an offset has 32 bits");
    }
    return {};
}

Result<Operand> OperandReader::list(Operand::Kind kind, std::string_view close, int depth)
{
    Operand result;
    result.kind = kind;
    while (!m_reader.accept(close)) {
        if (!result.elements.empty())
            SPARSERL_CHECK(m_reader.expect(","));
        SPARSERL_TRY(Operand element, read(false, depth + 1));
        result.elements.push_back(std::move(element));
        if (result.elements.size() > 256)
            return m_reader.error("too many operands");
    }
    return result;
}

Result<Operand> OperandReader::address()
{
    Operand result;
    result.kind = Operand::Kind::Address;
    if (m_reader.peek().kind == Token::Kind::Number)
        return m_reader.error("an address is a register or a name");
    SPARSERL_TRY(const std::string_view base, m_reader.word("an address"));
    const auto index = m_scopes.findRegister(m_function, base);
    if (index) {
        result.index = *index; // a register of inline assembly may have any name
    } else if (base.front() == '%') {
        return fail(index.error());
    } else {
        result.name = std::string(base);
        result.variable = m_scopes.findVariable(base);
    }
    SPARSERL_CHECK(offset(result));
    SPARSERL_CHECK(m_reader.expect("]"));
    return result;
}

Result<Operand> OperandReader::number()
{
    const bool negative = m_reader.accept("-");
    if (m_reader.peek().kind != Token::Kind::Number)
        return m_reader.error(fmt::format("a number expected before '{}'", m_reader.peek().text));
    SPARSERL_TRY(const Number value, m_reader.number(negative));
    Operand result;
    result.kind = value.floatBytes ? Operand::Kind::Float : Operand::Kind::Integer;
    result.bits = value.bits;
    result.floatBytes = value.floatBytes;
    return result;
}

Status OperandReader::name(Operand& result, bool mayLabel)
{
    SPARSERL_TRY(const std::string_view name, m_reader.word("an operand"));
    if (name == "_") {
        result.kind = Operand::Kind::Sink;
        return {};
    }
    if (name == "WARP_SZ" || (name.front() == '%' && isSpecialRegisterName(name))) {
        result.kind = Operand::Kind::Special;
        result.name = std::string(name);
        if (const auto special = findSpecialRegister(name)) {
            result.special = *special;
            result.index = 0;
        }
        return {};
    }
    if (name.front() == '%') {
        SPARSERL_TRY(result.index, m_scopes.findRegister(m_function, name));
        return {};
    }
    if (mayLabel) {
        result.kind = Operand::Kind::Label;
        result.name = std::string(name);
        return {};
    }
    if (const auto index = m_scopes.findRegister(m_function, name)) {
        result.index = *index; // a register of inline assembly may have any name
        return {};
    }
    result.kind = Operand::Kind::Symbol;
    result.name = std::string(name);
    result.variable = m_scopes.findVariable(name);
    return offset(result);
}

Result<Operand> OperandReader::read(bool mayLabel, int depth)
{
    if (depth > 2)
        return m_reader.error("operands are nested too deeply");
    if (m_reader.accept("("))
        return list(Operand::Kind::List, ")", depth);
    if (m_reader.accept("{"))
        return list(Operand::Kind::Vector, "}", depth);
    if (m_reader.accept("["))
        return address();
    if (m_reader.peek().kind == Token::Kind::Number || m_reader.is("-"))
        return number();
    Operand result;
    result.negated = m_reader.accept("!");
    SPARSERL_CHECK(name(result, mayLabel));
    if (m_reader.accept("|")) {
        result.dual = true;
        SPARSERL_TRY(Operand second, read(false, depth + 1));
        result.elements.push_back(std::move(second));
    }
    return result;
}

} // namespace

Result<Operand> readOperand(TokenReader& reader, Scopes& scopes, Function& function, bool mayLabel)
{
    return OperandReader(reader, scopes, function).read(mayLabel, 0);
}

} // namespace sparserl::ptx

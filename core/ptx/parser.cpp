// SPDX-License-Identifier: Apache-2.0
#include "ptx/module.h"
#include "ptx/tokens.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace sparserl::ptx {

namespace {

constexpr std::int64_t maxVariableBytes = std::int64_t(1) << 30;
constexpr std::size_t maxTargets = 1024;
constexpr std::size_t maxInstructions = 1u << 19; ///< Indexed branches multiply.
constexpr std::int64_t maxInitialBytes = std::int64_t(64) << 20;

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

/// A source position, and where it was inlined to.
struct Position
{
    std::int64_t file = 0, line = 0, column = 0;
    auto key() const { return std::make_tuple(file, line, column); }
};

struct Location
{
    Position at;
    std::optional<Position> inlinedAt;
};

struct RegisterRange
{
    Type type = Type::None;
    std::int64_t count = -1; ///< -1: exactly this name
};

/// Names between one pair of braces.
struct Scope
{
    int id = 0;
    int parent = -1;
    std::unordered_map<std::string_view, RegisterRange> ranges;
    std::unordered_map<std::string_view, int> registers;
    std::map<std::string, int, std::less<>> variables;
    std::unordered_map<std::string_view, int> labels;
    std::unordered_map<std::string_view, std::vector<std::string>> targets; ///< .branchtargets by label.
    std::set<std::string_view> names; ///< Of all kinds but ranges of registers: ptxas has one list for them.
};

class Parser
{
public:
    Parser(std::string_view text, std::vector<Token> tokens, std::string_view programFile)
        : m_text(text)
        , m_tokens(std::move(tokens))
        , m_programFile(programFile)
    {
    }
    Result<Module> run();

private:
    const Token& peek(std::size_t ahead = 0) const
    {
        return m_tokens[std::min(m_at + ahead, m_tokens.size() - 1)];
    }
    const Token& next() { return m_tokens[m_at + 1 < m_tokens.size() ? m_at++ : m_at]; }
    bool is(std::string_view text) const { return peek().kind != Token::Kind::String && peek().text == text; }
    bool accept(std::string_view text)
    {
        if (!is(text))
            return false;
        next();
        return true;
    }
    tl::unexpected<Error> error(std::string what) const
    {
        return failAt("PTX", peek().line, std::move(what));
    }
    Status expect(std::string_view text)
    {
        if (accept(text))
            return {};
        return error(fmt::format("'{}' expected before '{}'", text, peek().text));
    }
    Result<std::string_view> word(std::string_view what)
    {
        if (peek().kind != Token::Kind::Word)
            return error(fmt::format("{} expected before '{}'", what, peek().text));
        return next().text;
    }
    Result<std::int64_t> integer(std::string_view what);
    void note(std::vector<std::string>& list, std::string_view directive)
    {
        if (std::find(list.begin(), list.end(), directive) == list.end())
            list.emplace_back(directive);
    }

    Status moduleStatement();
    Status section();
    Status file();
    Result<Variable> variable(Space space);
    Status initializer(Variable& variable);
    Status function(bool external);
    Result<std::vector<Param>> params();
    Status body(Function& function);
    Status statement(Function& function);
    Status registers(Function& function);
    Status location();
    Status declare(std::string_view name);
    Status declareRange(std::string_view prefix, std::int64_t count);
    Status declareGlobally(std::string_view name);
    Status branchTargets(std::string_view label);
    Status instruction(Function& function);
    Status indexedBranch(Function& function, Instruction branch);
    Result<Operand> operand(Function& function, bool mayLabel, int depth = 0);
    Result<Operand> number(bool negative);
    Result<int> findRegister(Function& function, std::string_view name);
    int findVariable(std::string_view name) const;
    int programLine(const Location& location) const;
    Status resolveLabels(Function& function);

    /// The offset of a token in the text.
    std::size_t offsetOf(const Token& token) const
    {
        return token.text.empty() ? m_text.size()
                                  : static_cast<std::size_t>(token.text.data() - m_text.data());
    }

    std::string_view m_text;
    std::vector<Token> m_tokens;
    std::string m_programFile;
    std::size_t m_at = 0;
    Module m_module;
    std::set<std::string, std::less<>> m_names; ///< Of variables and bodies at module level.
    // of the body being read
    std::vector<Scope> m_scopes;
    int m_scope = 0;
    Location m_location;
    std::string_view m_variableName; ///< Of the variable read last, in the text.
    struct Pending
    {
        std::size_t instruction;
        int scope;
    };
    std::vector<Pending> m_branches;
    // lines are known only at the end, when every .file has been seen
    struct Placed
    {
        std::size_t function, instruction;
        Location location;
    };
    std::vector<Placed> m_placed;
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Position> m_inlined;
};

Result<std::int64_t> Parser::integer(std::string_view what)
{
    if (peek().kind != Token::Kind::Number)
        return error(fmt::format("{} expected before '{}'", what, peek().text));
    const auto value = number(false);
    if (!value)
        return tl::unexpected(value.error());
    if (value->kind != Operand::Kind::Integer || value->bits > (std::uint64_t(1) << 40))
        return error(fmt::format("{} is not a number that makes sense here", what));
    return static_cast<std::int64_t>(value->bits);
}

Result<Operand> Parser::number(bool negative)
{
    std::string text(next().text);
    Operand operand;
    auto bad = [&]() { return error(fmt::format("'{}' is not a number", text)); };
    if (text.size() > 1 && text[0] == '0' &&
        (text[1] == 'f' || text[1] == 'F' || text[1] == 'd' || text[1] == 'D')) {
        const bool single = text[1] == 'f' || text[1] == 'F';
        operand.kind = Operand::Kind::Float;
        operand.floatBytes = single ? 4 : 8;
        const char* end = text.data() + text.size();
        const auto parsed = std::from_chars(text.data() + 2, end, operand.bits, 16);
        if (parsed.ec != std::errc{} || parsed.ptr != end || text.size() != (single ? 10u : 18u))
            return bad();
        if (negative)
            return bad(); // ptxas knows no sign here
        return operand;
    }
    const bool hexadecimal = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
    if (!hexadecimal && text.find_first_of(".eE") != std::string::npos) {
        double value = 0;
        const char* end = text.data() + text.size();
        const auto parsed = std::from_chars(text.data(), end, value);
        if (parsed.ec != std::errc{} || parsed.ptr != end)
            return bad();
        operand.kind = Operand::Kind::Float;
        operand.floatBytes = 8;
        if (negative)
            value = -value;
        std::memcpy(&operand.bits, &value, 8);
        return operand;
    }
    operand.kind = Operand::Kind::Integer;
    if (text.back() == 'U' || text.back() == 'u')
        text.pop_back();
    int base = 10;
    std::size_t skip = 0;
    if (text.size() > 1 && text[0] == '0') {
        base = hexadecimal ? 16 : text[1] == 'b' || text[1] == 'B' ? 2 : 8;
        skip = base == 8 ? 1 : 2;
    }
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + skip, end, operand.bits, base);
    if (parsed.ec != std::errc{} || parsed.ptr != end)
        return bad();
    if (negative)
        operand.bits = 0 - operand.bits;
    return operand;
}

Result<Module> Parser::run()
{
    while (peek().kind != Token::Kind::End) {
        if (auto ok = moduleStatement(); !ok)
            return tl::unexpected(ok.error());
    }
    int last = 0;
    std::size_t lastFunction = 0;
    for (const Placed& placed : m_placed) {
        if (placed.function != lastFunction)
            last = 0;
        lastFunction = placed.function;
        if (const int line = programLine(placed.location))
            last = line;
        m_module.functions[placed.function].instructions[placed.instruction].line = last;
    }
    return std::move(m_module);
}

int Parser::programLine(const Location& location) const
{
    auto inProgram = [&](std::int64_t file) {
        if (file < 0 || file >= static_cast<std::int64_t>(m_module.files.size()))
            return false;
        const std::string& name = m_module.files[file];
        return name == m_programFile ||
               (name.size() > m_programFile.size() && name.ends_with(m_programFile) &&
                name[name.size() - m_programFile.size() - 1] == '/');
    };
    Position at = location.at;
    std::optional<Position> outer = location.inlinedAt;
    for (int hop = 0; hop < 64; ++hop) {
        if (inProgram(at.file))
            return static_cast<int>(at.line);
        if (!outer)
            return 0;
        at = *outer;
        const auto found = m_inlined.find(at.key());
        outer = found == m_inlined.end() ? std::nullopt : std::optional(found->second);
    }
    return 0;
}

Status Parser::moduleStatement()
{
    bool external = false;
    const std::size_t begin = offsetOf(peek());
    while (is(".visible") || is(".extern") || is(".weak") || is(".common")) {
        external = external || is(".extern");
        next();
    }
    if (accept(".version")) {
        m_module.version = std::string(next().text);
        return {};
    }
    if (accept(".target")) {
        m_module.target = std::string(next().text);
        while (accept(","))
            next();
        return {};
    }
    if (accept(".address_size")) {
        const auto size = integer("the address size");
        if (!size)
            return tl::unexpected(size.error());
        if (*size != 64)
            return error("only 64-bit addresses are supported");
        m_module.addressSize = static_cast<int>(*size);
        return {};
    }
    if (accept(".file"))
        return file();
    if (accept(".section"))
        return section();
    if (accept(".pragma")) {
        note(m_module.directives, ".pragma");
        next();
        return expect(";");
    }
    if (is(".entry") || is(".func"))
        return function(external);
    for (const auto& [text, space] : {std::pair(".global", Space::Global), std::pair(".const", Space::Const),
                                      std::pair(".shared", Space::Shared)}) {
        const std::size_t spaceAt = offsetOf(peek());
        if (accept(text)) {
            auto declared = variable(space);
            if (!declared)
                return tl::unexpected(declared.error());
            if (auto ok = declareGlobally(m_variableName); !ok)
                return ok;
            declared->external = external;
            declared->textBegin = begin;
            declared->spaceAt = spaceAt;
            declared->textEnd = offsetOf(m_tokens[m_at - 1]) + 1;
            m_module.variables.push_back(std::move(*declared));
            return {};
        }
    }
    return error(fmt::format("'{}' is not supported here", peek().text));
}

Status Parser::section()
{
    note(m_module.directives, ".section");
    if (!next().text.starts_with(".debug_"))
        return error("a section holds debug data only");
    if (auto ok = expect("{"); !ok)
        return ok;
    // Labels and .bN data. Anything else has no business here.
    while (!is("}")) {
        const Token& token = peek();
        static const std::set<std::string_view> allowed = {".b8", ".b16", ".b32", ".b64", ",", ":", "+", "-"};
        const bool name = token.kind == Token::Kind::Word &&
                          (token.text.front() != '.' || token.text.starts_with(".debug_"));
        if (token.kind != Token::Kind::Number && !name && !allowed.contains(token.text))
            return error(fmt::format("'{}' is not debug data", token.text));
        next();
    }
    next();
    return {};
}

Status Parser::file()
{
    const auto index = integer("the number of a .file");
    if (!index)
        return tl::unexpected(index.error());
    if (*index > 4096)
        return error("too many .file directives");
    if (peek().kind != Token::Kind::String)
        return error("a file name expected");
    if (m_module.files.size() <= static_cast<std::size_t>(*index))
        m_module.files.resize(*index + 1);
    m_module.files[*index] = std::string(next().text);
    while (accept(","))
        next();
    return {};
}

Result<Variable> Parser::variable(Space space)
{
    Variable result;
    result.space = space;
    result.ptxLine = peek().line;
    std::int64_t vector = 1;
    bool aligned = false;
    while (true) {
        if (accept(".align")) {
            const auto alignment = integer("an alignment");
            if (!alignment)
                return tl::unexpected(alignment.error());
            if (*alignment < 1 || *alignment > 4096 || (*alignment & (*alignment - 1)))
                return error("an alignment is a power of two");
            result.alignment = *alignment;
            aligned = true;
        } else if (accept(".v2")) {
            vector = 2;
        } else if (accept(".v4")) {
            vector = 4;
        } else {
            break;
        }
    }
    const auto type = typeFromWord(peek().text);
    if (!type || *type == Type::Pred)
        return error(fmt::format("the type of a variable expected before '{}'", peek().text));
    next();
    result.type = *type;
    if (!aligned)
        result.alignment = bytesOf(*type) * vector;
    const auto name = word("the name of a variable");
    if (!name)
        return tl::unexpected(name.error());
    m_variableName = *name;
    result.name = std::string(*name);
    result.bytes = bytesOf(*type) * vector;
    int dimensions = 0;
    while (accept("[")) {
        ++dimensions;
        std::int64_t extent = 0;
        if (!is("]")) {
            const auto value = integer("an extent");
            if (!value)
                return tl::unexpected(value.error());
            extent = *value;
        }
        if (auto ok = expect("]"); !ok)
            return tl::unexpected(ok.error());
        if (extent && result.bytes > maxVariableBytes / extent)
            return error(fmt::format("the variable '{}' is too large", result.name));
        result.bytes *= extent;
    }
    if (accept("=")) {
        if (dimensions > 1)
            return error("initial values of more than one dimension are not supported");
        if (auto ok = initializer(result); !ok)
            return tl::unexpected(ok.error());
    }
    if (auto ok = expect(";"); !ok)
        return tl::unexpected(ok.error());
    return result;
}

Status Parser::initializer(Variable& variable)
{
    if (variable.bytes > maxInitialBytes)
        return error(fmt::format("the variable '{}' is too large", variable.name));
    const int width = bytesOf(variable.type);
    auto put = [&](const Operand& value) {
        std::uint64_t stored = value.bits;
        if (value.kind == Operand::Kind::Float && value.floatBytes == 8 && width == 4) {
            double wide;
            std::memcpy(&wide, &stored, 8);
            const float narrow = static_cast<float>(wide);
            std::uint32_t word = 0;
            std::memcpy(&word, &narrow, 4);
            stored = word;
        }
        for (int i = 0; i < width; ++i)
            variable.initial.push_back(static_cast<std::byte>(stored >> (8 * i)));
    };
    int depth = 0;
    do {
        if (accept("{")) {
            if (++depth > 1)
                return error(
                    "initial values in inner braces are not supported"); // A short row would be filled up.
            continue;
        }
        if (accept("}")) {
            --depth;
            continue;
        }
        if (accept(","))
            continue;
        const bool negative = accept("-");
        if (peek().kind == Token::Kind::Number) {
            const auto value = number(negative);
            if (!value)
                return tl::unexpected(value.error());
            put(*value);
        } else if (peek().kind == Token::Kind::Word) {
            variable.initialAddresses = true; // "name", "generic(name)", "name+4"
            next();
            if (accept("(")) {
                next();
                if (auto ok = expect(")"); !ok)
                    return ok;
            }
            while (accept("+"))
                next();
            variable.initial.resize(variable.initial.size() + width);
        } else {
            return error(fmt::format("an initial value expected before '{}'", peek().text));
        }
    } while (depth > 0 && static_cast<std::int64_t>(variable.initial.size()) <= variable.bytes + width);
    if (static_cast<std::int64_t>(variable.initial.size()) > variable.bytes)
        return error(fmt::format("too many initial values for '{}'", variable.name));
    variable.initial.resize(variable.bytes);
    return {};
}

Result<std::vector<Param>> Parser::params()
{
    std::vector<Param> result;
    if (auto ok = expect("("); !ok)
        return tl::unexpected(ok.error());
    while (!accept(")")) {
        if (!result.empty()) {
            if (auto ok = expect(","); !ok)
                return tl::unexpected(ok.error());
        }
        if (auto ok = expect(".param"); !ok)
            return tl::unexpected(ok.error());
        Param param;
        bool aligned = false;
        bool pointer = false;
        while (true) {
            if (accept(".align")) {
                const auto alignment = integer("an alignment");
                if (!alignment)
                    return tl::unexpected(alignment.error());
                if (*alignment < 1 || *alignment > 4096 || (*alignment & (*alignment - 1)))
                    return error("an alignment is a power of two");
                if (!pointer) {
                    param.alignment = *alignment;
                    aligned = true;
                }
            } else if (accept(".ptr")) {
                pointer = true;
            } else if (is(".global") || is(".shared") || is(".const") || is(".local")) {
                next();
            } else if (const auto type = typeFromWord(peek().text); type && *type != Type::Pred) {
                next();
                param.type = *type;
            } else {
                break;
            }
        }
        if (param.type == Type::None)
            return error(fmt::format("the type of a parameter expected before '{}'", peek().text));
        if (!aligned)
            param.alignment = bytesOf(param.type);
        const auto name = word("the name of a parameter");
        if (!name)
            return tl::unexpected(name.error());
        param.name = std::string(*name);
        if (accept("[")) {
            param.array = true;
            param.elements = 0;
            if (!is("]")) {
                const auto extent = integer("an extent");
                if (!extent)
                    return tl::unexpected(extent.error());
                param.elements = *extent;
            }
            if (auto ok = expect("]"); !ok)
                return tl::unexpected(ok.error());
        }
        if (param.elements > 65536)
            return error(fmt::format("the parameter '{}' is too large", param.name));
        param.bytes = param.elements * bytesOf(param.type);
        param.index = static_cast<int>(result.size());
        result.push_back(std::move(param));
    }
    return result;
}

Status Parser::function(bool external)
{
    Function result;
    result.ptxLine = peek().line;
    result.entry = next().text == ".entry";
    result.external = external;
    if (!result.entry && is("(")) {
        auto results = params();
        if (!results)
            return tl::unexpected(results.error());
        result.results = std::move(*results);
    }
    const auto name = word("the name of a function");
    if (!name)
        return tl::unexpected(name.error());
    result.name = std::string(*name);
    if (is("(")) {
        auto list = params();
        if (!list)
            return tl::unexpected(list.error());
        result.params = std::move(*list);
    }
    while (!is("{") && !is(";")) {
        const std::string directive(peek().text);
        if (directive == ".maxntid" || directive == ".reqntid") {
            next();
            auto& extents = directive == ".maxntid" ? result.maxntid : result.reqntid;
            extents = {1, 1, 1};
            for (int i = 0; i < 3; ++i) {
                const auto value = integer("an extent");
                if (!value)
                    return tl::unexpected(value.error());
                extents[i] = *value;
                if (!accept(","))
                    break;
            }
        } else if (directive == ".minnctapersm" || directive == ".maxnreg" || directive == ".maxnctapersm") {
            next();
            const auto value = integer("a number");
            if (!value)
                return tl::unexpected(value.error());
            if (directive == ".minnctapersm")
                result.minnctapersm = *value;
            else if (directive == ".maxnreg")
                result.maxnreg = *value;
        } else if (directive == ".noreturn") {
            next();
        } else if (directive == ".pragma") {
            next();
            next();
            if (auto ok = expect(";"); !ok)
                return ok;
        } else {
            return error(fmt::format("'{}' is not supported in the head of a function", directive));
        }
        note(result.directives, directive);
    }
    if (accept(";")) {
        result.declaration = true;
        m_module.functions.push_back(std::move(result));
        return {};
    }
    return body(result);
}

Status Parser::body(Function& function)
{
    m_scopes.assign(1, Scope{});
    m_scope = 0;
    m_branches.clear();
    m_location = {};
    if (auto ok = expect("{"); !ok)
        return ok;
    if (auto ok = declareGlobally(function.name); !ok)
        return ok;
    for (const auto* list : {&function.params, &function.results})
        for (const Param& param : *list)
            if (auto ok = declare(param.name); !ok)
                return ok;
    int depth = 1;
    while (depth > 0) {
        if (peek().kind == Token::Kind::End)
            return error(fmt::format("the body of '{}' does not end", function.name));
        if (accept("{")) {
            Scope scope;
            scope.id = static_cast<int>(m_scopes.size());
            scope.parent = m_scope;
            m_scope = scope.id;
            m_scopes.push_back(std::move(scope));
            if (++depth > 128)
                return error("blocks are nested too deeply");
        } else if (accept("}")) {
            m_scope = std::max(m_scopes[m_scope].parent, 0);
            --depth;
        } else if (auto ok = statement(function); !ok) {
            return ok;
        }
    }
    if (auto ok = resolveLabels(function); !ok)
        return ok;
    m_module.functions.push_back(std::move(function));
    return {};
}

Status Parser::statement(Function& function)
{
    if (accept(".reg"))
        return registers(function);
    if (accept(".loc"))
        return location();
    if (accept(".pragma")) {
        note(function.directives, ".pragma");
        next();
        return expect(";");
    }
    for (const auto& [text, space] : {std::pair(".local", Space::Local), std::pair(".shared", Space::Shared),
                                      std::pair(".param", Space::Param), std::pair(".global", Space::Global),
                                      std::pair(".const", Space::Const)}) {
        if (accept(text)) {
            auto declared = variable(space);
            if (!declared)
                return tl::unexpected(declared.error());
            if (auto ok = declare(m_variableName); !ok)
                return ok;
            m_scopes[m_scope].variables[declared->name] = static_cast<int>(function.variables.size());
            function.variables.push_back(std::move(*declared));
            return {};
        }
    }
    if (peek().kind == Token::Kind::Word && peek(1).text == ":" && peek(1).kind == Token::Kind::Punctuation) {
        const std::string_view label = next().text;
        next();
        if (accept(".branchtargets"))
            return branchTargets(label);
        if (is(".calltargets") || is(".callprototype"))
            return error(fmt::format("'{}' (an indirect call) is not supported", peek().text));
        if (auto ok = declare(label); !ok)
            return ok;
        if (!m_scopes[m_scope].labels.emplace(label, static_cast<int>(function.instructions.size())).second)
            return error(fmt::format("the label '{}' stands twice", label));
        return {};
    }
    return instruction(function);
}

/// What ptxas takes for a name: "a$1", "%r", "$L_1", "_x"; no dots, "%" only in front, not "_" alone.
bool isIdentifier(std::string_view name)
{
    const bool marked = !name.empty() && (name.front() == '_' || name.front() == '$' || name.front() == '%');
    if (name.empty() || name.front() == '.' || name.size() <= (marked ? 1 : 0) || name == "WARP_SZ")
        return false;
    return name.find_first_of(".:") == std::string_view::npos && name.find('%', 1) == std::string_view::npos;
}

/// A name may stand once in a block, whatever it names.
Status Parser::declare(std::string_view name)
{
    if (!isIdentifier(name))
        return error(fmt::format("'{}' is not a name", name));
    Scope& scope = m_scopes[m_scope];
    if (!scope.names.insert(name).second)
        return error(fmt::format("the name '{}' is declared twice", name));
    std::size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        --digits;
    const auto range = scope.ranges.find(name.substr(0, digits));
    if (digits == name.size() || range == scope.ranges.end() || range->second.count < 0)
        return {};
    std::int64_t number = 0;
    const auto read = std::from_chars(name.data() + digits, name.data() + name.size(), number);
    if (read.ec != std::errc{} || number < range->second.count)
        return error(fmt::format("the name '{}' is one of '{}<...>' already", name, name.substr(0, digits)));
    return {};
}

/// "%r<9>": none of its names may be taken, and its prefix ends where its numbers start.
Status Parser::declareRange(std::string_view prefix, std::int64_t count)
{
    if (prefix.back() >= '0' && prefix.back() <= '9')
        return error(fmt::format("the registers '{}<...>' end in a digit", prefix));
    const auto& names = m_scopes[m_scope].names;
    for (auto name = names.lower_bound(prefix); name != names.end() && name->starts_with(prefix); ++name) {
        std::int64_t number = -1;
        const auto read = std::from_chars(name->data() + prefix.size(), name->data() + name->size(), number);
        if (read.ptr == name->data() + name->size() && number >= 0 && number < count)
            return error(fmt::format("the name '{}' is declared twice", *name));
    }
    return {};
}

Status Parser::declareGlobally(std::string_view name)
{
    if (!isIdentifier(name))
        return error(fmt::format("'{}' is not a name", name));
    if (!m_names.emplace(name).second)
        return error(fmt::format("the name '{}' is declared twice", name));
    return {};
}

Status Parser::registers(Function& function)
{
    static_cast<void>(function);
    if (is(".v2") || is(".v4"))
        return error("vector registers are not supported");
    auto type = typeFromWord(peek().text);
    if (is(".f16") || is(".bf16"))
        type = Type::B16;
    else if (is(".f16x2") || is(".bf16x2") || is(".tf32"))
        type = Type::B32;
    if (!type)
        return error(fmt::format("the type of a register expected before '{}'", peek().text));
    if (bytesOf(*type) == 1 && *type != Type::Pred)
        return error("8-bit registers are not supported");
    next();
    do {
        const auto name = word("a register");
        if (!name)
            return tl::unexpected(name.error());
        RegisterRange range{*type, -1};
        if (accept("<")) {
            const auto count = integer("a count of registers");
            if (!count)
                return tl::unexpected(count.error());
            range.count = *count;
            if (auto ok = expect(">"); !ok)
                return ok;
        }
        if (isSpecialRegisterName(*name) || isSpecialRegisterName(std::string(*name) + ".x"))
            return error(fmt::format("the register '{}' has a reserved name", *name));
        if (auto ok = range.count < 0 ? declare(*name) : declareRange(*name, range.count); !ok)
            return ok;
        if (!m_scopes[m_scope].ranges.emplace(*name, range).second)
            return error(fmt::format("the register '{}' is declared twice", *name));
    } while (accept(","));
    return expect(";");
}

Status Parser::location()
{
    auto position = [&]() -> Result<Position> {
        Position result;
        for (std::int64_t* part : {&result.file, &result.line, &result.column}) {
            const auto value = integer("a position");
            if (!value)
                return tl::unexpected(value.error());
            *part = *value;
        }
        return result;
    };
    const auto at = position();
    if (!at)
        return tl::unexpected(at.error());
    m_location = {*at, std::nullopt};
    while (accept(",")) {
        const auto name = word("an attribute of .loc");
        if (!name)
            return tl::unexpected(name.error());
        if (*name == "function_name") {
            next();
            if (accept("+"))
                next();
        } else if (*name == "inlined_at") {
            const auto outer = position();
            if (!outer)
                return tl::unexpected(outer.error());
            m_location.inlinedAt = *outer;
            m_inlined[at->key()] = *outer;
        } else {
            return error(fmt::format("'{}' is not an attribute of .loc", *name));
        }
    }
    return {};
}

Status Parser::branchTargets(std::string_view label)
{
    if (auto ok = declare(label); !ok)
        return ok;
    std::vector<std::string> names;
    do {
        const auto name = word("a label");
        if (!name)
            return tl::unexpected(name.error());
        names.emplace_back(*name);
        if (names.size() > maxTargets)
            return error("too many branch targets");
    } while (accept(","));
    if (!m_scopes[m_scope].targets.emplace(label, std::move(names)).second)
        return error(fmt::format("the label '{}' stands twice", label));
    return expect(";");
}

/// brx.idx becomes what it means: a comparison and a branch for each target, and a trap behind. (A switch of
/// NVRTC is one.)
Status Parser::indexedBranch(Function& function, Instruction branch)
{
    if (branch.operands.size() != 2 || branch.operands[1].kind != Operand::Kind::Label)
        return error("'brx.idx' takes an index and the label of a list of targets");
    const std::vector<std::string>* targets = nullptr;
    for (int at = m_scope; at >= 0 && !targets; at = m_scopes[at].parent) {
        const auto found = m_scopes[at].targets.find(branch.operands[1].name);
        targets = found == m_scopes[at].targets.end() ? nullptr : &found->second;
    }
    if (!targets)
        return error(
            fmt::format("'{}' is not a list of branch targets that stands above", branch.operands[1].name));
    if (function.instructions.size() + 2 * targets->size() >= maxInstructions)
        return error("too many branch targets");
    const int chosen = static_cast<int>(function.registers.size());
    function.registers.push_back({"%brx" + std::to_string(chosen), Type::Pred});
    const auto add = [&](Instruction instruction) {
        instruction.ptxLine = branch.ptxLine;
        if (!instruction.operands.empty() && instruction.operands.back().kind == Operand::Kind::Label)
            m_branches.push_back({function.instructions.size(), m_scope});
        m_placed.push_back({m_module.functions.size(), function.instructions.size(), m_location});
        function.instructions.push_back(std::move(instruction));
    };
    const auto registerOperand = [](int index) {
        Operand operand;
        operand.index = index;
        return operand;
    };
    for (std::size_t i = 0; i < targets->size(); ++i) {
        Instruction compare, jump;
        Operand number, label;
        number.kind = Operand::Kind::Integer;
        number.bits = i;
        compare.opcode = branch.guard < 0 ? "setp.eq.u32" : "setp.eq.and.u32";
        compare.form = findOpcode(compare.opcode);
        compare.operands = {registerOperand(chosen), branch.operands[0], number};
        if (branch.guard >= 0) {
            compare.operands.push_back(registerOperand(branch.guard));
            compare.operands.back().negated = branch.guardNegated;
        }
        jump.opcode = "bra";
        jump.form = findOpcode(jump.opcode);
        jump.guard = chosen;
        label.kind = Operand::Kind::Label;
        label.name = (*targets)[i];
        jump.operands = {label};
        add(std::move(compare));
        add(std::move(jump));
    }
    // An index beyond the table goes nowhere.
    Instruction stop;
    stop.opcode = "trap";
    stop.form = findOpcode(stop.opcode);
    stop.guard = branch.guard;
    stop.guardNegated = branch.guardNegated;
    add(std::move(stop));
    return {};
}

Status Parser::instruction(Function& function)
{
    Instruction result;
    result.ptxLine = peek().line;
    if (accept("@")) {
        result.guardNegated = accept("!");
        const auto name = word("a predicate");
        if (!name)
            return tl::unexpected(name.error());
        const auto index = findRegister(function, *name);
        if (!index)
            return tl::unexpected(index.error());
        if (function.registers[*index].type != Type::Pred)
            return error(fmt::format("the guard '{}' is not a predicate", *name));
        result.guard = *index;
    }
    const auto opcode = word("an instruction");
    if (!opcode)
        return tl::unexpected(opcode.error());
    if (opcode->front() == '.' || opcode->front() == '%')
        return error(fmt::format("'{}' is not supported here", *opcode));
    result.opcode = std::string(*opcode);
    result.opcodeAt = static_cast<std::size_t>(opcode->data() - m_text.data());
    result.form = findOpcode(*opcode);
    const bool indexed = *opcode == "brx.idx" || *opcode == "brx.idx.uni";
    const bool branches = opcode->substr(0, 3) == "bra" || indexed;
    if (!is(";")) {
        do {
            auto parsed = operand(function, branches);
            if (!parsed)
                return tl::unexpected(parsed.error());
            result.operands.push_back(std::move(*parsed));
            if (result.operands.size() > 16)
                return error("too many operands");
        } while (accept(","));
    }
    if (auto ok = expect(";"); !ok)
        return ok;
    // "ld.global.u32 {%r1}, [%rd1];", as Triton writes it.
    if (result.form && result.form->vector == 1 &&
        (result.form->op == Op::Ld || result.form->op == Op::St || result.form->op == Op::Mov))
        for (Operand& part : result.operands)
            if (part.kind == Operand::Kind::Vector && part.elements.size() == 1)
                part = Operand(part.elements[0]);
    if (indexed)
        return indexedBranch(function, std::move(result));
    if (branches)
        m_branches.push_back({function.instructions.size(), m_scope});
    m_placed.push_back({m_module.functions.size(), function.instructions.size(), m_location});
    function.instructions.push_back(std::move(result));
    return {};
}

Result<Operand> Parser::operand(Function& function, bool mayLabel, int depth)
{
    if (depth > 2)
        return error("operands are nested too deeply");
    Operand result;
    auto offset = [&]() -> Status {
        while (accept("+")) { // "[%r1-4]" is none
            const bool negative = accept("-");
            if (peek().kind != Token::Kind::Number)
                return error(fmt::format("an offset expected before '{}'", peek().text));
            const auto value = number(negative);
            if (!value)
                return tl::unexpected(value.error());
            if (value->kind != Operand::Kind::Integer)
                return error("an offset is an integer");
            result.offset =
                static_cast<std::int64_t>(static_cast<std::uint64_t>(result.offset) + value->bits);
            if (result.offset < std::numeric_limits<std::int32_t>::min() ||
                result.offset > std::numeric_limits<std::int32_t>::max())
                return error("an offset has 32 bits");
        }
        return {};
    };
    auto list = [&](std::string_view close) -> Status {
        while (!accept(close)) {
            if (!result.elements.empty()) {
                if (auto ok = expect(","); !ok)
                    return ok;
            }
            auto element = operand(function, false, depth + 1);
            if (!element)
                return tl::unexpected(element.error());
            result.elements.push_back(std::move(*element));
            if (result.elements.size() > 256)
                return error("too many operands");
        }
        return {};
    };
    if (accept("(")) {
        result.kind = Operand::Kind::List;
        if (auto ok = list(")"); !ok)
            return tl::unexpected(ok.error());
        return result;
    }
    if (accept("{")) {
        result.kind = Operand::Kind::Vector;
        if (auto ok = list("}"); !ok)
            return tl::unexpected(ok.error());
        return result;
    }
    if (accept("[")) {
        result.kind = Operand::Kind::Address;
        if (peek().kind == Token::Kind::Number)
            return error("an address is a register or a name");
        const auto name = word("an address");
        if (!name)
            return tl::unexpected(name.error());
        const auto index = findRegister(function, *name);
        if (index) {
            result.index = *index; // a register of inline assembly may have any name
        } else if (name->front() == '%') {
            return tl::unexpected(index.error());
        } else {
            result.name = std::string(*name);
            result.variable = findVariable(*name);
        }
        if (auto ok = offset(); !ok)
            return tl::unexpected(ok.error());
        if (auto ok = expect("]"); !ok)
            return tl::unexpected(ok.error());
        return result;
    }
    if (peek().kind == Token::Kind::Number || is("-")) {
        const bool negative = accept("-");
        if (peek().kind != Token::Kind::Number)
            return error(fmt::format("a number expected before '{}'", peek().text));
        return number(negative);
    }
    result.negated = accept("!");
    const auto name = word("an operand");
    if (!name)
        return tl::unexpected(name.error());
    if (*name == "_") {
        result.kind = Operand::Kind::Sink;
    } else if (name->front() == '%' || *name == "WARP_SZ") {
        if (*name == "WARP_SZ" || isSpecialRegisterName(*name)) {
            result.kind = Operand::Kind::Special;
            result.name = std::string(*name);
            if (const auto special = findSpecialRegister(*name)) {
                result.special = *special;
                result.index = 0;
            }
        } else {
            const auto index = findRegister(function, *name);
            if (!index)
                return tl::unexpected(index.error());
            result.index = *index;
        }
    } else if (mayLabel) {
        result.kind = Operand::Kind::Label;
        result.name = std::string(*name);
    } else if (const auto index = findRegister(function, *name)) {
        result.index = *index; // a register of inline assembly may have any name
    } else {
        result.kind = Operand::Kind::Symbol;
        result.name = std::string(*name);
        result.variable = findVariable(*name);
        if (auto ok = offset(); !ok)
            return tl::unexpected(ok.error());
    }
    if (accept("|")) {
        result.dual = true;
        auto second = operand(function, false, depth + 1);
        if (!second)
            return tl::unexpected(second.error());
        result.elements.push_back(std::move(*second));
    }
    return result;
}

Result<int> Parser::findRegister(Function& function, std::string_view name)
{
    std::size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        --digits;
    for (int at = m_scope; at >= 0; at = m_scopes[at].parent) {
        Scope& scope = m_scopes[at];
        if (const auto found = scope.registers.find(name); found != scope.registers.end())
            return found->second;
        auto range = scope.ranges.find(name);
        if (range != scope.ranges.end() && range->second.count >= 0)
            range = scope.ranges.end();
        // "%r12" of "%r<20>": no leading zero, below the count; a prefix may itself end in digits.
        for (std::size_t split = digits; range == scope.ranges.end() && split < name.size() && split > 0;
             ++split) {
            const auto candidate = scope.ranges.find(name.substr(0, split));
            std::int64_t value = -1;
            const std::string_view tail = name.substr(split);
            if (candidate == scope.ranges.end() || tail.size() > 9 ||
                (tail.size() > 1 && tail.front() == '0'))
                continue;
            std::from_chars(tail.data(), tail.data() + tail.size(), value);
            if (value >= 0 && value < candidate->second.count)
                range = candidate;
        }
        if (range == scope.ranges.end())
            continue;
        const int index = static_cast<int>(function.registers.size());
        function.registers.push_back({std::string(name), range->second.type});
        scope.registers.emplace(name, index);
        return index;
    }
    return error(fmt::format("the register '{}' is not declared", name));
}

int Parser::findVariable(std::string_view name) const
{
    for (int at = m_scope; at >= 0; at = m_scopes[at].parent) {
        if (const auto found = m_scopes[at].variables.find(name); found != m_scopes[at].variables.end())
            return found->second;
    }
    return -1;
}

Status Parser::resolveLabels(Function& function)
{
    // Which of two a branch means depends on the assembler where one stands in a block of the other.
    for (const Scope& scope : m_scopes)
        for (const auto& [label, target] : scope.labels)
            for (int outer = scope.parent; outer >= 0; outer = m_scopes[outer].parent)
                if (m_scopes[outer].labels.contains(label))
                    return failAt("PTX", function.ptxLine,
                                  fmt::format("the label '{}' stands in a block and around it", label));
    for (const Pending& pending : m_branches) {
        Instruction& branch = function.instructions[pending.instruction];
        for (Operand& target : branch.operands) {
            if (target.kind != Operand::Kind::Label)
                continue;
            for (int at = pending.scope; at >= 0 && target.index < 0; at = m_scopes[at].parent) {
                const auto found = m_scopes[at].labels.find(target.name);
                if (found != m_scopes[at].labels.end())
                    target.index = found->second;
            }
            if (target.index < 0)
                return failAt("PTX", branch.ptxLine,
                              fmt::format("the label '{}' does not exist", target.name));
        }
    }
    return {};
}

} // namespace

const Function* Module::find(std::string_view name) const
{
    for (const Function& function : functions) {
        if (!function.declaration && function.name == name)
            return &function;
    }
    return nullptr;
}

Result<Module> parse(std::string_view text, std::string_view programFile)
{
    auto tokens = tokenize(text);
    if (!tokens)
        return tl::unexpected(tokens.error());
    return Parser(text, std::move(*tokens), programFile).run();
}

} // namespace sparserl::ptx

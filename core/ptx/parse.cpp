// SPDX-License-Identifier: Apache-2.0
#include "ptx/module.h"

#include "ptx/body.h"
#include "ptx/declarations.h"
#include "ptx/scopes.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace sparserl::ptx {

namespace {

class ModuleReader
{
public:
    ModuleReader(std::string_view text, std::vector<Token> tokens)
        : m_reader(text, std::move(tokens))
    {
    }
    Result<Module> read(std::string_view programFile);

private:
    Status statement();
    Status section();
    Status file();
    Status function(bool external);
    Status functionDirective(Function& function);
    /// ".global", ".const" or ".shared" and what follows; `begin`: of the statement. False: it is none.
    Result<bool> variable(bool external, std::size_t begin);
    Status declare(std::string_view name);

    TokenReader m_reader;
    Module m_module;
    Locations m_locations;
    std::set<std::string, std::less<>> m_names; ///< Of variables and bodies.
};

Result<Module> ModuleReader::read(std::string_view programFile)
{
    while (m_reader.peek().kind != Token::Kind::End)
        SPARSERL_CHECK(statement());
    m_locations.assign(m_module, programFile);
    return std::move(m_module);
}

Status ModuleReader::declare(std::string_view name)
{
    if (!isIdentifier(name))
        return m_reader.error(fmt::format("'{}' is not a name", name));
    if (!m_names.emplace(name).second)
        return m_reader.error(fmt::format("the name '{}' is declared twice", name));
    return {};
}

Status ModuleReader::statement()
{
    bool external = false;
    const std::size_t begin = m_reader.offset();
    while (m_reader.is(".visible") || m_reader.is(".extern") || m_reader.is(".weak") ||
           m_reader.is(".common")) {
        external = external || m_reader.is(".extern");
        m_reader.next();
    }
    if (m_reader.accept(".version")) {
        m_module.version = std::string(m_reader.next().text);
        return {};
    }
    if (m_reader.accept(".target")) {
        m_module.target = std::string(m_reader.next().text);
        while (m_reader.accept(","))
            m_reader.next();
        return {};
    }
    if (m_reader.accept(".address_size")) {
        SPARSERL_TRY(const std::int64_t size, m_reader.integer("the address size"));
        if (size != 64)
            return m_reader.error("only 64-bit addresses are supported");
        m_module.addressSize = static_cast<int>(size);
        return {};
    }
    if (m_reader.accept(".file"))
        return file();
    if (m_reader.accept(".section"))
        return section();
    if (m_reader.accept(".pragma")) {
        noteDirective(m_module.directives, ".pragma");
        m_reader.next();
        return m_reader.expect(";");
    }
    if (m_reader.is(".entry") || m_reader.is(".func"))
        return function(external);
    SPARSERL_TRY(const bool declared, variable(external, begin));
    if (!declared)
        return m_reader.error(fmt::format("'{}' is not supported here", m_reader.peek().text));
    return {};
}

Result<bool> ModuleReader::variable(bool external, std::size_t begin)
{
    for (const auto& [text, space] : {std::pair(".global", Space::Global), std::pair(".const", Space::Const),
                                      std::pair(".shared", Space::Shared)}) {
        const std::size_t spaceAt = m_reader.offset();
        if (!m_reader.accept(text))
            continue;
        SPARSERL_TRY(Declared declared, readVariable(m_reader, space));
        SPARSERL_CHECK(declare(declared.name));
        declared.variable.external = external;
        declared.variable.textBegin = begin;
        declared.variable.spaceAt = spaceAt;
        declared.variable.textEnd = m_reader.endOfLast();
        m_module.variables.push_back(std::move(declared.variable));
        return true;
    }
    return false;
}

Status ModuleReader::section()
{
    noteDirective(m_module.directives, ".section");
    if (!m_reader.next().text.starts_with(".debug_"))
        return m_reader.error("a section holds debug data only");
    SPARSERL_CHECK(m_reader.expect("{"));
    // Labels and .bN data. Anything else has no business here.
    while (!m_reader.is("}")) {
        const Token& token = m_reader.peek();
        static const std::set<std::string_view> allowed = {".b8", ".b16", ".b32", ".b64", ",", ":", "+", "-"};
        const bool name = token.kind == Token::Kind::Word &&
                          (token.text.front() != '.' || token.text.starts_with(".debug_"));
        if (token.kind != Token::Kind::Number && !name && !allowed.contains(token.text))
            return m_reader.error(fmt::format("'{}' is not debug data", token.text));
        m_reader.next();
    }
    m_reader.next();
    return {};
}

Status ModuleReader::file()
{
    SPARSERL_TRY(const std::int64_t index, m_reader.integer("the number of a .file"));
    if (index > 4096)
        return m_reader.error("too many .file directives");
    if (m_reader.peek().kind != Token::Kind::String)
        return m_reader.error("a file name expected");
    if (m_module.files.size() <= static_cast<std::size_t>(index))
        m_module.files.resize(index + 1);
    m_module.files[index] = std::string(m_reader.next().text);
    while (m_reader.accept(","))
        m_reader.next();
    return {};
}

Status ModuleReader::functionDirective(Function& function)
{
    const std::string directive(m_reader.peek().text);
    if (directive == ".maxntid" || directive == ".reqntid") {
        m_reader.next();
        auto& extents = directive == ".maxntid" ? function.maxntid : function.reqntid;
        extents = {1, 1, 1};
        for (std::int64_t& extent : extents) {
            SPARSERL_TRY(extent, m_reader.integer("an extent"));
            if (!m_reader.accept(","))
                break;
        }
    } else if (directive == ".minnctapersm" || directive == ".maxnreg" || directive == ".maxnctapersm") {
        m_reader.next();
        SPARSERL_TRY(const std::int64_t value, m_reader.integer("a number"));
        if (directive == ".minnctapersm")
            function.minnctapersm = value;
        else if (directive == ".maxnreg")
            function.maxnreg = value;
    } else if (directive == ".noreturn") {
        m_reader.next();
    } else if (directive == ".pragma") {
        m_reader.next();
        m_reader.next();
        SPARSERL_CHECK(m_reader.expect(";"));
    } else {
        return m_reader.error(fmt::format("'{}' is not supported in the head of a function", directive));
    }
    noteDirective(function.directives, directive);
    return {};
}

Status ModuleReader::function(bool external)
{
    Function result;
    result.ptxLine = m_reader.peek().line;
    result.entry = m_reader.next().text == ".entry";
    result.external = external;
    if (!result.entry && m_reader.is("(")) {
        SPARSERL_TRY(result.results, readParams(m_reader));
    }
    SPARSERL_TRY(result.name, m_reader.word("the name of a function"));
    if (m_reader.is("(")) {
        SPARSERL_TRY(result.params, readParams(m_reader));
    }
    while (!m_reader.is("{") && !m_reader.is(";"))
        SPARSERL_CHECK(functionDirective(result));
    if (m_reader.accept(";")) {
        result.declaration = true;
        m_module.functions.push_back(std::move(result));
        return {};
    }
    SPARSERL_CHECK(m_reader.expect("{"));
    SPARSERL_CHECK(declare(result.name));
    SPARSERL_CHECK(readBody(m_reader, m_locations, m_module.functions.size(), result));
    m_module.functions.push_back(std::move(result));
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
    SPARSERL_TRY(auto tokens, tokenize(text));
    return ModuleReader(text, std::move(tokens)).read(programFile);
}

} // namespace sparserl::ptx

// SPDX-License-Identifier: Apache-2.0
#include "ptx/opcodes.h"

#include "ptx/modifiers.h"
#include "ptx/op.h"
#include "ptx/opcode_patterns.h"

#include <algorithm>
#include <unordered_map>

namespace sparserl::ptx {

namespace {

/// The pipe of an operation, where its forms share one.
enum class Charge
{
    Integer,
    Special,
    Memory,
    Shared,
    Shuffle,
    Control,
    ByType,  ///< That of the type.
    BySpace, ///< That of the memory.
};

struct Operation
{
    Op op;
    Action action;
    Charge charge;
    AddressFlow address;
};
constexpr Operation operations[] = {
#define OPCODE(op, action, pipe, address) {Op::op, Action::action, Charge::pipe, AddressFlow::address},
#define FORMS(op, pattern, operands, implementation)
#include "ptx/opcodes.def"
#undef OPCODE
#undef FORMS
};

struct Family
{
    Op op;
    std::string_view pattern, operands;
};
constexpr Family families[] = {
#define OPCODE(op, action, pipe, address)
#define FORMS(op, pattern, operands, implementation) {Op::op, pattern, operands},
#include "ptx/opcodes.def"
#undef OPCODE
#undef FORMS
};

Pipe pipeOf(Charge charge, const OpcodeForm& form)
{
    switch (charge) {
    case Charge::Special:
        return Pipe::Special;
    case Charge::Memory:
        return Pipe::Memory;
    case Charge::Shared:
        return Pipe::Shared;
    case Charge::Shuffle:
        return Pipe::Shuffle;
    case Charge::Control:
        return Pipe::Control;
    case Charge::BySpace:
        return form.space == Space::Shared ? Pipe::Shared : Pipe::Memory;
    case Charge::ByType:
        if (form.type == Type::F64 || form.source == Type::F64)
            return Pipe::Double;
        return form.type == Type::F32 ? Pipe::Float : Pipe::Integer;
    case Charge::Integer:
        break;
    }
    return Pipe::Integer;
}

std::vector<OpcodeForm> buildTable()
{
    std::vector<OpcodeForm> table;
    for (std::size_t number = 0; number < std::size(families); ++number) {
        const Family& family = families[number];
        const Operation& operation = operations[static_cast<std::size_t>(family.op)];
        for (std::string& text : expandPattern(family.pattern)) {
            OpcodeForm& form = table.emplace_back();
            form.text = std::move(text);
            form.family = static_cast<std::uint16_t>(number);
            form.op = family.op;
            form.action = operation.action;
            form.address = operation.address;
            form.operands = family.operands;
            readModifiers(form);
            form.pipe = pipeOf(operation.charge, form);
        }
    }
    std::sort(table.begin(), table.end(),
              [](const OpcodeForm& a, const OpcodeForm& b) { return a.text < b.text; });
    return table;
}

const OpcodeForm* findExactly(std::string_view text)
{
    static const std::unordered_map<std::string_view, const OpcodeForm*> index = [] {
        std::unordered_map<std::string_view, const OpcodeForm*> map;
        for (const OpcodeForm& form : allOpcodes())
            map.emplace(form.text, &form);
        return map;
    }();
    const auto found = index.find(text);
    return found == index.end() ? nullptr : found->second;
}

struct Hint
{
    std::string_view text;
    bool keepsInCache; ///< Data stays for later calls, or more is brought than is asked for.
};
constexpr Hint hints[] = {{".L1::evict_normal", false}, {".L1::evict_unchanged", false},
                          {".L1::evict_first", false},  {".L1::evict_last", true},
                          {".L1::no_allocate", false},  {".L2::64B", true},
                          {".L2::128B", true},          {".L2::256B", true}};

} // namespace

const std::vector<OpcodeForm>& allOpcodes()
{
    static const std::vector<OpcodeForm> table = buildTable();
    return table;
}

Spelling readOpcode(std::string_view text)
{
    Spelling result;
    result.form = findExactly(text);
    if (result.form || text.find("::") == std::string_view::npos ||
        (!text.starts_with("ld") && !text.starts_with("st.") && !text.starts_with("cp.async.")))
        return result;
    std::string plain(text);
    for (const Hint& hint : hints) {
        if (const std::size_t at = plain.find(hint.text);
            at != std::string::npos &&
            (at + hint.text.size() == plain.size() || plain[at + hint.text.size()] == '.')) {
            plain.erase(at, hint.text.size());
            result.keepsInCache = result.keepsInCache || hint.keepsInCache;
        }
    }
    // ld.shared::cta is ld.shared.
    if (const std::size_t at = plain.find(".shared::cta"); at != std::string::npos)
        plain.erase(at + 7, 5);
    result.form = findExactly(plain);
    return result;
}

const OpcodeForm* findOpcode(std::string_view text)
{
    return readOpcode(text).form;
}

} // namespace sparserl::ptx

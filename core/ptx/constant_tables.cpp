// SPDX-License-Identifier: Apache-2.0
#include "ptx/constant_tables.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace sparserl::ptx {

namespace {

/// What a value may be: a generic address of a table, or its address in constant memory.
enum Kind : int
{
    Generic = 0,
    Constant = 1
};

/// A change of one word of the text.
struct Edit
{
    std::size_t at = 0, length = 0;
    std::string with;
};

/// The type at the end of a form: "ld.global.nc.v2.f32" gives ".f32".
std::string_view typeName(const OpcodeForm& form)
{
    const std::size_t dot = form.text.rfind('.');
    return std::string_view(form.text).substr(dot == std::string::npos ? form.text.size() : dot);
}

/// Pieces of eight bytes; what lies behind the last one that is told apart counts as part of it.
int pieceCount(std::int64_t bytes)
{
    return static_cast<int>(std::clamp<std::int64_t>((bytes + 7) / 8, 1, 64));
}

/// Addresses of tables, followed from where they are taken to where they are used.
class Flow
{
public:
    Flow(std::string_view text, const Module& module)
        : m_text(text)
        , m_module(module)
    {
    }
    ConstantTables run();

private:
    /// A value is a register, a `.param` variable, or a parameter or result of a function.
    struct Edge
    {
        int from, to;
        Kind fromKind, toKind;
    };
    static constexpr int nobody = -1;

    void layOut();
    void connect(int function);
    void connectCall(int function, const Instruction& call);
    void spread();
    bool inspect(int function);
    /// False where what is done with an address of a table refuses the program. `held`: the table.
    bool inspect(int function, const Instruction& instruction);
    bool inspectComputation(int function, const Instruction& instruction, int held);
    bool inspectConversion(int function, const Instruction& instruction, int held);
    bool inspectLoad(int function, const Instruction& instruction, int held);
    bool sourceHolds(int function, const Instruction& instruction, std::size_t operand) const
    {
        return operand < instruction.operands.size() && holds(function, instruction.operands[operand]) >= 0;
    }
    bool refuse(int function, const Instruction& instruction, int table, std::string_view what);

    int registerNode(int function, int index) const { return m_registers[function] + index; }
    /// The value behind an operand, or `nobody`.
    int node(int function, const Operand& operand) const
    {
        return operand.kind == Operand::Kind::Register && operand.index >= 0
                   ? registerNode(function, operand.index)
                   : nobody;
    }
    /// The values that an access to `[name + offset]` in the parameter space touches: parameters are followed
    /// in pieces of eight bytes, so that what stands beside an address in a structure is not taken for one.
    struct Pieces
    {
        int first = nobody, last = nobody;
    };
    Pieces pieces(int function, const Operand& address, const OpcodeForm& form) const;
    /// The index of the module's `.global` or `.const` variable that an operand names, or -1.
    int table(int function, const Operand& operand) const;
    int origin(int node, Kind kind) const { return node == nobody ? -1 : m_origin[2 * node + kind]; }
    int origin(int node) const { return std::max(origin(node, Generic), origin(node, Constant)); }
    /// A table whose address the operand or a part of it holds, or -1.
    int holds(int function, const Operand& operand) const;
    void link(int from, int to)
    {
        if (from == nobody || to == nobody)
            return;
        m_edges.push_back({from, to, Generic, Generic});
        m_edges.push_back({from, to, Constant, Constant});
    }
    void seed(int node, Kind kind, int table)
    {
        if (node != nobody && m_origin[2 * node + kind] < 0) {
            m_origin[2 * node + kind] = table;
            m_queue.push_back(2 * node + kind);
        }
    }
    bool global(int table) const { return m_module.variables[table].space == Space::Global; }
    void edit(const Instruction& instruction, std::string with)
    {
        m_edits.push_back({instruction.opcodeAt, instruction.opcode.size(), std::move(with)});
    }

    std::string_view m_text;
    const Module& m_module;
    std::unordered_map<std::string_view, int> m_tables;    ///< Of the module's .global and .const by name.
    std::unordered_map<std::string_view, int> m_functions; ///< With a body, by name.
    std::vector<int> m_registers;                          ///< First node, by function.
    std::vector<std::vector<int>> m_variables, m_params, m_results; ///< First node of each, by function.
    std::vector<Edge> m_edges;
    std::vector<int> m_origin; ///< By node and kind: a table whose address it may hold, or -1.
    std::vector<int> m_queue;
    std::vector<char> m_named; ///< By table: some instruction names it.
    std::vector<Edit> m_edits;
    ConstantTables m_result;
};

void Flow::layOut()
{
    int nodes = 0;
    const auto take = [&](const auto& list) {
        std::vector<int> first;
        for (const auto& item : list) {
            first.push_back(nodes);
            nodes += pieceCount(item.bytes);
        }
        return first;
    };
    for (std::size_t i = 0; i < m_module.functions.size(); ++i) {
        const Function& function = m_module.functions[i];
        if (!function.declaration)
            m_functions.emplace(function.name, static_cast<int>(i));
        m_registers.push_back(nodes);
        nodes += static_cast<int>(function.registers.size());
        m_variables.push_back(take(function.variables));
        m_params.push_back(take(function.params));
        m_results.push_back(take(function.results));
    }
    m_origin.assign(2 * static_cast<std::size_t>(nodes), -1);
}

Flow::Pieces Flow::pieces(int function, const Operand& address, const OpcodeForm& form) const
{
    const Function& f = m_module.functions[function];
    if (address.kind != Operand::Kind::Address || address.index >= 0)
        return {};
    const auto within = [&](int first, std::int64_t bytes) {
        const std::int64_t last = pieceCount(bytes) - 1;
        const auto piece = [&](std::int64_t at) {
            return first + static_cast<int>(std::clamp<std::int64_t>(at / 8, 0, last));
        };
        return Pieces{piece(address.offset), piece(address.offset + form.vector * bytesOf(form.type) - 1)};
    };
    if (address.variable >= 0) {
        const Variable& variable = f.variables[address.variable];
        return variable.space == Space::Param
                   ? within(m_variables[function][address.variable], variable.bytes)
                   : Pieces{};
    }
    for (std::size_t i = 0; i < f.params.size(); ++i)
        if (f.params[i].name == address.name)
            return within(m_params[function][i], f.params[i].bytes);
    for (std::size_t i = 0; i < f.results.size(); ++i)
        if (f.results[i].name == address.name)
            return within(m_results[function][i], f.results[i].bytes);
    return {};
}

int Flow::table(int function, const Operand& operand) const
{
    const bool names = operand.kind == Operand::Kind::Symbol || operand.kind == Operand::Kind::Address;
    if (!names || operand.index >= 0 || operand.variable >= 0 || operand.name.empty())
        return -1;
    const Function& f = m_module.functions[function];
    for (const auto* list : {&f.params, &f.results})
        for (const Param& param : *list)
            if (param.name == operand.name)
                return -1;
    const auto found = m_tables.find(operand.name);
    return found == m_tables.end() ? -1 : found->second;
}

int Flow::holds(int function, const Operand& operand) const
{
    int found = table(function, operand);
    if ((operand.kind == Operand::Kind::Register || operand.kind == Operand::Kind::Address) &&
        operand.index >= 0)
        found = std::max(found, origin(registerNode(function, operand.index)));
    for (const Operand& element : operand.elements)
        found = std::max(found, holds(function, element));
    return found;
}

/// Whether the result is an address of 64 bits where a source is one.
bool keepsAddress(const OpcodeForm& form)
{
    if (form.address == AddressFlow::None)
        return false;
    const bool widens = form.operands.starts_with('w');
    return bytesOf(form.type) == (widens ? 4 : 8);
}

void Flow::connect(int function)
{
    for (const Instruction& instruction : m_module.functions[function].instructions) {
        if (!instruction.form)
            continue;
        const OpcodeForm& form = *instruction.form;
        const std::vector<Operand>& operands = instruction.operands;
        if (form.action == Action::Call) {
            connectCall(function, instruction);
            continue;
        }
        if (operands.size() < 2)
            continue;
        const int to = node(function, operands[0]);
        if (keepsAddress(form)) {
            for (std::size_t i = 1; i < operands.size(); ++i)
                link(node(function, operands[i]), to);
            if (const int named = table(function, operands[1]);
                form.address == AddressFlow::Copy && named >= 0)
                seed(to, global(named) ? Generic : Constant, named);
        } else if (form.action == Action::ToGeneric || form.action == Action::FromGeneric) {
            const int from = node(function, operands[1]);
            const int named = table(function, operands[1]);
            const bool constant = form.space == Space::Const;
            if (named >= 0)
                seed(to, Generic, named);
            else if (!constant)
                link(from, to);
            else if (from != nobody && to != nobody)
                m_edges.push_back({from, to, form.action == Action::ToGeneric ? Constant : Generic,
                                   form.action == Action::ToGeneric ? Generic : Constant});
        } else if (form.action == Action::Load && form.space == Space::Param) {
            const Pieces from = pieces(function, operands[1], form);
            for (int piece = from.first; piece != nobody && piece <= from.last; ++piece) {
                link(piece, to);
                for (const Operand& element : operands[0].elements)
                    link(piece, node(function, element));
            }
        } else if (form.action == Action::Store && form.space == Space::Param) {
            const Pieces target = pieces(function, operands[0], form);
            for (int piece = target.first; piece != nobody && piece <= target.last; ++piece) {
                link(node(function, operands[1]), piece);
                for (const Operand& element : operands[1].elements)
                    link(node(function, element), piece);
            }
        }
    }
}

void Flow::connectCall(int function, const Instruction& call)
{
    const Operand* target = nullptr;
    for (const Operand& operand : call.operands)
        if (operand.kind == Operand::Kind::Symbol)
            target = &operand;
    const auto callee = target ? m_functions.find(target->name) : m_functions.end();
    if (callee == m_functions.end())
        return; // The gate refuses it.
    const Function& called = m_module.functions[callee->second];
    bool behind = false;
    for (const Operand& operand : call.operands) {
        behind = behind || &operand == target;
        if (operand.kind != Operand::Kind::List)
            continue;
        const std::vector<Param>& list = behind ? called.params : called.results;
        const std::vector<int>& first = behind ? m_params[callee->second] : m_results[callee->second];
        for (std::size_t i = 0; i < operand.elements.size() && i < list.size(); ++i) {
            const int variable = operand.elements[i].variable;
            if (variable < 0)
                continue;
            const int mine = m_variables[function][variable];
            const int count = std::min(pieceCount(m_module.functions[function].variables[variable].bytes),
                                       pieceCount(list[i].bytes));
            for (int piece = 0; piece < count; ++piece)
                behind ? link(mine + piece, first[i] + piece) : link(first[i] + piece, mine + piece);
        }
    }
}

void Flow::spread()
{
    std::vector<int> first(m_origin.size() + 1, 0);
    for (const Edge& edge : m_edges)
        ++first[2 * edge.from + edge.fromKind + 1];
    for (std::size_t i = 1; i < first.size(); ++i)
        first[i] += first[i - 1];
    std::vector<int> at = first, targets(m_edges.size());
    for (const Edge& edge : m_edges)
        targets[at[2 * edge.from + edge.fromKind]++] = 2 * edge.to + edge.toKind;
    for (std::size_t next = 0; next < m_queue.size(); ++next) {
        const int from = m_queue[next];
        for (int i = first[from]; i < first[from + 1]; ++i) {
            if (m_origin[targets[i]] >= 0)
                continue;
            m_origin[targets[i]] = m_origin[from];
            m_queue.push_back(targets[i]);
        }
    }
}

bool Flow::refuse(int function, const Instruction& instruction, int table, std::string_view what)
{
    const Variable& variable = m_module.variables[table];
    m_result.refused = Unsupported{
        fmt::format(
            "'{}' is data of the program on the device (a __device__, __constant__ or static variable, a "
            "constant of file scope, or a string) and may only be read: {} ('{}'); only buffers of the "
            "plan can be written",
            variable.name, what, instruction.opcode),
        m_module.functions[function].name, instruction.line, instruction.ptxLine};
    return false;
}

/// A computation whose result is an address where a source is one.
bool Flow::inspectComputation(int function, const Instruction& instruction, int held)
{
    const OpcodeForm& form = *instruction.form;
    const std::vector<Operand>& operands = instruction.operands;
    const auto no = [&](std::string_view what) { return refuse(function, instruction, held, what); };
    std::size_t sources = 0;
    for (std::size_t i = 1; i < operands.size(); ++i) {
        if (!sourceHolds(function, instruction, i))
            continue;
        ++sources;
        if (operands[i].kind != Operand::Kind::Register &&
            !(form.address == AddressFlow::Copy && operands[i].kind == Operand::Kind::Symbol))
            return no("its address is taken apart");
    }
    if (operands[0].kind != Operand::Kind::Register)
        return no("its address is taken apart");
    const bool factor = form.address == AddressFlow::Addend &&
                        (sourceHolds(function, instruction, 1) || sourceHolds(function, instruction, 2));
    if (factor || (sources > 1 && form.address != AddressFlow::Choice))
        return no("its address is computed with");
    if (form.address == AddressFlow::Difference && sourceHolds(function, instruction, 2))
        return no("its address is computed with");
    if (const int named = table(function, operands[1]);
        form.address == AddressFlow::Copy && named >= 0 && global(named))
        edit(instruction, "cvta.const.u64");
    return true;
}

/// A conversion from or to generic addresses.
bool Flow::inspectConversion(int function, const Instruction& instruction, int held)
{
    const OpcodeForm& form = *instruction.form;
    const std::vector<Operand>& operands = instruction.operands;
    const auto no = [&](std::string_view what) { return refuse(function, instruction, held, what); };
    if (operands.size() != 2)
        return no("its address is converted");
    const int from = node(function, operands[1]);
    const int named = table(function, operands[1]);
    if (form.space == Space::Const) {
        const Kind wrong = form.action == Action::ToGeneric ? Generic : Constant;
        if (origin(from, wrong) >= 0 || (named >= 0 && global(named)))
            return no("its address is converted twice");
        return true;
    }
    if (form.space != Space::Global || origin(from, Constant) >= 0 || (named >= 0 && !global(named)))
        return no("its address is converted to another space");
    if (form.action == Action::FromGeneric && named >= 0)
        return no("its address is converted twice");
    edit(instruction, named >= 0 ? "cvta.const.u64" : "mov.b64"); // Global addresses are generic ones.
    return true;
}

bool Flow::inspectLoad(int function, const Instruction& instruction, int held)
{
    const OpcodeForm& form = *instruction.form;
    const std::vector<Operand>& operands = instruction.operands;
    const auto no = [&](std::string_view what) { return refuse(function, instruction, held, what); };
    if (operands.size() != 2 || operands[1].kind != Operand::Kind::Address)
        return no("its address is used");
    if (form.order != Order::Weak)
        return no("it is read as if others wrote it");
    const int named = table(function, operands[1]);
    if (named >= 0 ? !global(named) : origin(registerNode(function, operands[1].index), Generic) < 0) {
        if (form.space != Space::Const)
            return no("an address of constant memory is used as one of another space");
        return true;
    }
    if (named < 0 && origin(registerNode(function, operands[1].index), Constant) >= 0)
        return no("addresses of two spaces are mixed");
    if (form.space != Space::Global && form.space != Space::Generic)
        return no("it is read through another space");
    const std::string plain =
        fmt::format("ld{}{}{}", named >= 0 ? ".const" : "",
                    form.vector > 1 ? fmt::format(".v{}", form.vector) : std::string(), typeName(form));
    if (!findOpcode(plain))
        return no("it is read in an unusual way");
    if (instruction.opcode != plain)
        edit(instruction, plain);
    return true;
}

bool Flow::inspect(int function, const Instruction& instruction)
{
    const OpcodeForm& form = *instruction.form;
    const std::vector<Operand>& operands = instruction.operands;
    int held = -1;
    for (const Operand& operand : operands) {
        if (const int named = table(function, operand); named >= 0)
            m_named[named] = true;
        const bool written = &operand == operands.data() && (operand.kind == Operand::Kind::Register ||
                                                             operand.kind == Operand::Kind::Vector);
        if (!written)
            held = std::max(held, holds(function, operand));
    }
    if (held < 0)
        return true;
    const auto no = [&](std::string_view what) { return refuse(function, instruction, held, what); };
    const bool load = form.action == Action::Load, store = form.action == Action::Store;
    if (instruction.derived)
        return no("it is read by an instruction for matrices");
    if (form.action == Action::Call)
        return true; // Its operands are parameters, which were followed.
    if (keepsAddress(form))
        return inspectComputation(function, instruction, held);
    if (form.action == Action::ToGeneric || form.action == Action::FromGeneric)
        return inspectConversion(function, instruction, held);
    if (form.action == Action::Compare && form.operands.starts_with('Q')) {
        // Two places of a table, as a loop over it compares them, tell nothing about where it is.
        if (operands.size() == 3 && sourceHolds(function, instruction, 1) &&
            sourceHolds(function, instruction, 2))
            return true;
        return no("its address is compared with other values");
    }
    if (load && form.space == Space::Param)
        return true;
    if (store && form.space == Space::Param)
        return pieces(function, operands[0], form).first != nobody || no("its address is stored");
    if (load)
        return inspectLoad(function, instruction, held);
    const bool writes = (store || form.action == Action::Atomic) &&
                        sourceHolds(function, instruction, form.operands.find('a'));
    return no(writes ? "it is written" : store ? "its address is stored" : "its address is used");
}

bool Flow::inspect(int function)
{
    for (const Instruction& instruction : m_module.functions[function].instructions)
        if (instruction.form && !inspect(function, instruction))
            return false;
    return true;
}

ConstantTables Flow::run()
{
    for (std::size_t i = 0; i < m_module.variables.size(); ++i)
        if (m_module.variables[i].space == Space::Global || m_module.variables[i].space == Space::Const)
            m_tables.emplace(m_module.variables[i].name, static_cast<int>(i));
    if (m_tables.empty())
        return {std::string(m_text), false, std::nullopt};
    m_named.assign(m_module.variables.size(), false);
    layOut();
    const int functions = static_cast<int>(m_module.functions.size());
    for (int i = 0; i < functions; ++i)
        connect(i);
    spread();
    for (int i = 0; i < functions; ++i)
        if (!inspect(i))
            return std::move(m_result);
    for (std::size_t i = 0; i < m_module.variables.size(); ++i) {
        const Variable& variable = m_module.variables[i];
        if (variable.space != Space::Global || variable.external)
            continue;
        if (m_named[i])
            m_edits.push_back({variable.spaceAt, std::string_view(".global").size(), ".const"});
        else
            m_edits.push_back({variable.textBegin, variable.textEnd - variable.textBegin, {}});
    }
    std::sort(m_edits.begin(), m_edits.end(), [](const Edit& a, const Edit& b) { return a.at < b.at; });
    std::size_t copied = 0;
    for (const Edit& change : m_edits) {
        m_result.text += m_text.substr(copied, change.at - copied);
        m_result.text += change.with;
        copied = change.at + change.length;
    }
    m_result.text += m_text.substr(copied);
    m_result.changed = !m_edits.empty();
    return std::move(m_result);
}

} // namespace

ConstantTables constantTables(std::string_view text, const Module& module)
{
    return Flow(text, module).run();
}

std::int64_t constantBytes(const Module& module)
{
    std::int64_t bytes = 0;
    const auto add = [&](const Variable& variable) {
        if (variable.space != Space::Const)
            return;
        const std::int64_t alignment = std::max<std::int64_t>(variable.alignment, 1);
        bytes = (bytes + alignment - 1) / alignment * alignment + variable.bytes;
    };
    std::for_each(module.variables.begin(), module.variables.end(), add);
    for (const Function& function : module.functions)
        std::for_each(function.variables.begin(), function.variables.end(), add);
    return bytes;
}

} // namespace sparserl::ptx

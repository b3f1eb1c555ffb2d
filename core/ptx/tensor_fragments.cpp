// SPDX-License-Identifier: Apache-2.0
#include "ptx/tensor_fragments.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace sparserl::ptx {

namespace {

/// What the modifiers say; `part` is a, b, c or d, or m of wmma.mma.
struct Wmma
{
    char part = 0;
    bool rows = true; ///< Rows lie one behind the other.
    int m = 0, n = 0, k = 0;
    std::string space;        ///< ".global", ".shared" or nothing.
    std::string type, source; ///< Of the elements; of mma those of D, and of C or of all the others.

    bool turned() const { return m == 8 && n == 32; } ///< Computed as the transposed product.
};

std::vector<std::string_view> parts(std::string_view text)
{
    std::vector<std::string_view> found;
    for (std::size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.')) {
        found.push_back(text.substr(0, dot));
        text.remove_prefix(dot + 1);
    }
    found.push_back(text);
    return found;
}

bool readShape(std::string_view text, Wmma& wmma)
{
    static constexpr struct
    {
        std::string_view name;
        int m, n, k;
    } shapes[] = {{"m16n16k16", 16, 16, 16},
                  {"m32n8k16", 32, 8, 16},
                  {"m8n32k16", 8, 32, 16},
                  {"m16n16k8", 16, 16, 8},
                  {"m8n8k4", 8, 8, 4}};
    for (const auto& shape : shapes) {
        if (shape.name != text)
            continue;
        wmma.m = shape.m;
        wmma.n = shape.n;
        wmma.k = shape.k;
        return true;
    }
    return false;
}

/// Types that go with the depth of the product.
bool goesWith(const Wmma& wmma, std::string_view element, std::string_view sum)
{
    switch (wmma.k) {
    case 16:
        return (element == "f16" && (sum == "f16" || sum == "f32")) || (element == "bf16" && sum == "f32");
    case 8:
        return element == "tf32" && sum == "f32";
    default:
        return element == "f64" && sum == "f64";
    }
}

std::optional<Wmma> read(std::string_view opcode)
{
    const std::vector<std::string_view> words = parts(opcode);
    if (words.size() < 8 || words[0] != "wmma")
        return std::nullopt;
    Wmma wmma;
    if (words[1] == "mma") { // wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32
        const auto layout = [](std::string_view word) { return word == "row" || word == "col"; };
        if (words.size() < 9 || words[2] != "sync" || words[3] != "aligned" || !layout(words[4]) ||
            !layout(words[5]) || !readShape(words[6], wmma))
            return std::nullopt;
        const std::vector<std::string_view> types(words.begin() + 7, words.end());
        wmma.part = 'm';
        wmma.type = types[0];
        const bool halves =
            types.size() == 2 && goesWith(wmma, "f16", types[0]) && goesWith(wmma, "f16", types[1]);
        const bool others = (types.size() == 4 || (types.size() == 5 && types[4] == "rn")) &&
                            types[1] == types[2] && types[0] == types[3] && types[1] != "f16" &&
                            goesWith(wmma, types[1], types[0]) && (types.size() == 5) == (wmma.k == 4);
        if (!halves && !others)
            return std::nullopt;
        wmma.source = types[1];
        return wmma;
    }
    // wmma.load.a.sync.aligned.row.m16n16k16[.global].f16
    if (words[2].size() != 1 || words[3] != "sync" || words[4] != "aligned" || !readShape(words[6], wmma))
        return std::nullopt;
    wmma.part = words[2][0];
    if (words[1] == "load" ? wmma.part < 'a' || wmma.part > 'c' : words[1] != "store" || wmma.part != 'd')
        return std::nullopt;
    wmma.rows = words[5] == "row";
    if (!wmma.rows && words[5] != "col")
        return std::nullopt;
    if (words.size() == 9 && (words[7] == "global" || words[7] == "shared"))
        wmma.space = "." + std::string(words[7]);
    else if (words.size() != 8)
        return std::nullopt;
    wmma.type = words.back();
    const bool factor = wmma.part < 'c';
    const bool known = factor ? goesWith(wmma, wmma.type, wmma.k == 4 ? "f64" : "f32")
                              : goesWith(wmma,
                                         wmma.k == 16  ? "f16"
                                         : wmma.k == 8 ? "tf32"
                                                       : "f64",
                                         wmma.type);
    return known ? std::optional(wmma) : std::nullopt;
}

/// Where an element of lane 4 g + t lies: `across` is added to g, `along` to `step` times t.
struct Place
{
    int across, along;
};

bool pairs(const std::string& type)
{
    return type == "f16" || type == "bf16";
}
int bytesOf(const std::string& type)
{
    return pairs(type) ? 2 : type == "f64" ? 8 : 4;
}

/// The elements of a fragment, in order, without repetitions. The left factor of mma.sync has 16 rows, its
/// right one 8 columns.
std::vector<Place> placesOf(const Wmma& wmma)
{
    std::vector<Place> places;
    const bool sums = wmma.part >= 'c', left = (wmma.part == 'a') != wmma.turned();
    if (wmma.k == 4)
        return sums ? std::vector<Place>{{0, 0}, {0, 1}} : std::vector<Place>{{0, 0}};
    if (sums) {
        for (int block = 0; block < 2; ++block)
            for (const Place one : {Place{0, 0}, Place{0, 1}, Place{8, 0}, Place{8, 1}})
                places.push_back(wmma.n == 16 ? Place{one.across, one.along + 8 * block}
                                              : Place{one.across + 16 * block, one.along});
        return places;
    }
    const std::vector<Place> block =
        wmma.k == 8
            ? left ? std::vector<Place>{{0, 0}, {8, 0}, {0, 4}, {8, 4}} : std::vector<Place>{{0, 0}, {0, 4}}
        : left ? std::vector<Place>{{0, 0}, {0, 1}, {8, 0}, {8, 1}, {0, 8}, {0, 9}, {8, 8}, {8, 9}}
               : std::vector<Place>{{0, 0}, {0, 1}, {0, 8}, {0, 9}};
    const int extent = wmma.part == 'a' ? wmma.m : wmma.n, height = left ? 16 : 8;
    for (int at = 0; at < extent; at += height)
        for (const Place one : block)
            places.push_back({one.across + at, one.along});
    return places;
}

/// Writes instructions that stand for another one, with its guard and line.
class Writer
{
public:
    Writer(Function& function, const Instruction& from)
        : m_function(function)
        , m_from(from)
    {
    }
    Operand reg(Type type)
    {
        Operand operand;
        operand.index = static_cast<int>(m_function.registers.size());
        m_function.registers.push_back({fmt::format("%wmma{}", operand.index), type});
        return operand;
    }
    bool wide(const Operand& operand) const
    {
        return sparserl::ptx::bytesOf(m_function.registers[static_cast<std::size_t>(operand.index)].type) ==
               8;
    }
    static Operand number(std::int64_t value)
    {
        Operand operand;
        operand.kind = Operand::Kind::Integer;
        operand.bits = static_cast<std::uint64_t>(value);
        return operand;
    }
    static Operand vector(std::vector<Operand> elements)
    {
        Operand operand;
        operand.kind = Operand::Kind::Vector;
        operand.elements = std::move(elements);
        return operand;
    }
    void add(std::string opcode, std::vector<Operand> operands)
    {
        Instruction& made = m_made.emplace_back();
        made.opcode = std::move(opcode);
        made.form = findOpcode(made.opcode);
        made.derived = true;
        made.guard = m_from.guard;
        made.guardNegated = m_from.guardNegated;
        made.ptxLine = m_from.ptxLine;
        made.opcodeAt = m_from.opcodeAt;
        made.operands = std::move(operands);
    }
    /// The first one is the destination.
    Operand made(std::string opcode, Type type, std::vector<Operand> sources)
    {
        Operand result = reg(type);
        sources.insert(sources.begin(), result);
        add(std::move(opcode), std::move(sources));
        return result;
    }
    std::vector<Instruction> take() { return std::move(m_made); }

private:
    Function& m_function;
    const Instruction& m_from;
    std::vector<Instruction> m_made;
};

/// A load or a store.
class Access
{
public:
    Access(Writer& writer, const Wmma& wmma, const Operand& address, const Operand& stride)
        : m_writer(writer)
        , m_wmma(wmma)
        , m_address(address)
        , m_stride(stride)
        , m_size(bytesOf(wmma.type))
        , m_adjacent(wmma.rows != (wmma.part == 'b' || (wmma.part >= 'c' && wmma.turned())))
    {
    }
    void write(const std::vector<Operand>& registers);

private:
    void start();
    Operand at(Place place);
    void one(const std::string& type, const std::vector<Operand>& values, Place place);

    Writer& m_writer;
    const Wmma& m_wmma;
    const Operand& m_address;
    Operand m_stride;
    int m_size;
    bool m_adjacent; ///< Elements along t lie side by side.
    bool m_wide = true;
    std::map<int, Operand> m_lines; ///< Addresses by how many strides they are from the lane's first one.
};

/// The lane's first address.
void Access::start()
{
    Operand all = Writer::number(0xffffffff), lane;
    m_writer.add("bar.warp.sync", {all});
    lane.kind = Operand::Kind::Special;
    lane.special = SpecialRegister::LaneId;
    lane.index = 0;
    lane.name = "%laneid";
    const int step = m_wmma.part >= 'c' || m_wmma.k == 16 ? 1 : 0; // in powers of two
    const Operand number = m_writer.made("mov.u32", Type::B32, {lane});
    const Operand g = m_writer.made("shr.u32", Type::B32, {number, Writer::number(2)});
    const Operand third = m_writer.made("and.b32", Type::B32, {number, Writer::number(3)});
    const Operand t = m_writer.made("shl.b32", Type::B32, {third, Writer::number(step)});
    const Operand place =
        m_writer.made("mad.lo.s32", Type::B32, {m_adjacent ? g : t, m_stride, m_adjacent ? t : g});
    Operand base;
    if (m_address.index >= 0) {
        base.index = m_address.index;
        m_wide = m_writer.wide(base);
    } else {
        Operand symbol = m_address;
        symbol.kind = Operand::Kind::Symbol;
        symbol.offset = 0;
        m_wide = m_wmma.space != ".shared";
        base = m_writer.made(m_wide ? "mov.u64" : "mov.u32", m_wide ? Type::B64 : Type::B32, {symbol});
    }
    m_lines.emplace(0, m_writer.made(m_wide ? "mad.wide.u32" : "mad.lo.s32", m_wide ? Type::B64 : Type::B32,
                                     {place, Writer::number(m_size), base}));
}

Operand Access::at(Place place)
{
    const int lines = m_adjacent ? place.across : place.along;
    auto found = m_lines.find(lines);
    if (found == m_lines.end())
        found =
            m_lines
                .emplace(lines, m_writer.made(
                                    m_wide ? "mad.wide.u32" : "mad.lo.s32", m_wide ? Type::B64 : Type::B32,
                                    {m_stride, Writer::number(std::int64_t(lines) * m_size), m_lines.at(0)}))
                .first;
    Operand address;
    address.kind = Operand::Kind::Address;
    address.index = found->second.index;
    address.offset = m_address.offset + std::int64_t(m_adjacent ? place.along : place.across) * m_size;
    return address;
}

void Access::one(const std::string& type, const std::vector<Operand>& values, Place place)
{
    const bool store = m_wmma.part == 'd';
    const Operand value = values.size() == 1 ? values[0] : Writer::vector(values);
    std::vector<Operand> operands{at(place), value};
    if (!store)
        std::swap(operands[0], operands[1]);
    m_writer.add(
        fmt::format("{}{}{}.{}", store ? "st" : "ld", m_wmma.space, values.size() == 2 ? ".v2" : "", type),
        std::move(operands));
}

void Access::write(const std::vector<Operand>& registers)
{
    start();
    const std::vector<Place> places = placesOf(m_wmma);
    if (!pairs(m_wmma.type)) {
        const std::string type = m_wmma.type == "tf32" ? "b32" : m_wmma.type;
        const bool two = m_adjacent && m_wmma.part >= 'c';
        for (std::size_t i = 0; i < places.size(); i += two ? 2 : 1)
            one(type, two ? std::vector{registers[i], registers[i + 1]} : std::vector{registers[i]},
                places[i]);
        return;
    }
    const std::size_t held = places.size() / 2;
    for (std::size_t i = 0; i < registers.size(); ++i) {
        if (i >= held) { // fragments of f16 hold small factors more than once
            m_writer.add("mov.b32", {registers[i], registers[i % held]});
            continue;
        }
        if (m_adjacent) {
            one("b32", {registers[i]}, places[2 * i]);
            continue;
        }
        const std::vector<Operand> halves{m_writer.reg(Type::B16), m_writer.reg(Type::B16)};
        if (m_wmma.part == 'd')
            m_writer.add("mov.b32", {Writer::vector(halves), registers[i]});
        for (std::size_t h = 0; h < 2; ++h)
            one("b16", {halves[h]}, places[2 * i + h]);
        if (m_wmma.part != 'd')
            m_writer.add("mov.b32", {registers[i], Writer::vector(halves)});
    }
}

/// How many registers a fragment takes in the instruction.
std::size_t registersOf(const Wmma& wmma)
{
    const std::size_t elements = placesOf(wmma).size();
    if (wmma.type == "f16" && wmma.part < 'c')
        return 8;
    return pairs(wmma.type) ? elements / 2 : elements;
}

std::vector<Operand> slice(const std::vector<Operand>& all, std::size_t from, std::size_t count)
{
    return {all.begin() + static_cast<std::ptrdiff_t>(from),
            all.begin() + static_cast<std::ptrdiff_t>(from + count)};
}

/// Registers of a block of C as floats, two of each register of halves.
std::vector<Operand> widened(Writer& writer, const std::vector<Operand>& halves)
{
    std::vector<Operand> floats;
    for (const Operand& two : halves) {
        const std::vector<Operand> split{writer.reg(Type::B16), writer.reg(Type::B16)};
        writer.add("mov.b32", {Writer::vector(split), two});
        for (const Operand& one : split)
            floats.push_back(writer.made("cvt.f32.f16", Type::F32, {one}));
    }
    return floats;
}

void multiply(Writer& writer, const Wmma& wmma, const std::vector<Operand>& operands)
{
    const std::vector<Operand>&d = operands[0].elements, &c = operands[3].elements;
    const std::vector<Operand>&left = operands[wmma.turned() ? 2 : 1].elements,
          &right = operands[wmma.turned() ? 1 : 2].elements;
    if (wmma.k == 4) {
        writer.add("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", operands);
        return;
    }
    const bool mixed = wmma.source != wmma.type && (wmma.source == "f16" || wmma.type == "f16");
    const std::string factor = wmma.source == "bf16" || wmma.source == "tf32" ? wmma.source : "f16";
    const std::string sum = mixed ? "f32" : wmma.type;
    const bool sumPairs = wmma.type == "f16", startPairs = wmma.source == "f16";
    for (std::size_t block = 0; block < 2; ++block) {
        const bool acrossRight = wmma.n == 16;
        const std::size_t dCount = sumPairs ? 2 : 4, cCount = startPairs ? 2 : 4;
        std::vector<Operand> start = slice(c, cCount * block, cCount),
                             result = slice(d, dCount * block, dCount);
        if (mixed && startPairs)
            start = widened(writer, start);
        const std::vector<Operand> wanted = result;
        if (mixed && sumPairs)
            result = {writer.reg(Type::F32), writer.reg(Type::F32), writer.reg(Type::F32),
                      writer.reg(Type::F32)};
        writer.add(
            fmt::format("mma.sync.aligned.m16n8k{}.row.col.{}.{}.{}.{}", wmma.k, sum, factor, factor, sum),
            {Writer::vector(result), Writer::vector(slice(left, acrossRight ? 0 : 4 * block, 4)),
             Writer::vector(slice(right, acrossRight ? 2 * block : 0, 2)), Writer::vector(start)});
        if (mixed && sumPairs) // the first source goes to the upper half
            for (std::size_t i = 0; i < 2; ++i)
                writer.add("cvt.rn.f16x2.f32", {wanted[i], result[2 * i + 1], result[2 * i]});
    }
}

bool plain(const Operand& operand, Operand::Kind kind)
{
    return operand.kind == kind && !operand.negated && !operand.dual;
}
/// Registers for elements of this type, as assemblers want them: halves and tf32 are bits.
bool fragment(const Function& function, const Operand& operand, std::size_t count, const std::string& type)
{
    const auto fits = [&](const Operand& one) {
        if (!plain(one, Operand::Kind::Register) || one.index < 0)
            return false;
        const Type held = function.registers[static_cast<std::size_t>(one.index)].type;
        return type == "tf32" ? held == Type::B32 : !pairs(type) || !isFloat(held);
    };
    return plain(operand, Operand::Kind::Vector) && operand.elements.size() == count &&
           std::all_of(operand.elements.begin(), operand.elements.end(), fits);
}

} // namespace

std::optional<std::vector<Instruction>> expandFragments(Function& function, const Instruction& instruction)
{
    const std::optional<Wmma> wmma = read(instruction.opcode);
    if (!wmma)
        return std::nullopt;
    const std::vector<Operand>& operands = instruction.operands;
    Writer writer(function, instruction);
    if (wmma->part == 'm') {
        const bool halves = wmma->source == "f16" || wmma->source == "f32";
        const std::string factor = halves ? "f16" : wmma->source, start = halves ? wmma->source : wmma->type;
        const auto fits = [&](std::size_t at, char part, const std::string& type) {
            Wmma one = *wmma;
            one.part = part;
            one.type = type;
            return fragment(function, operands[at], registersOf(one), type);
        };
        if (operands.size() != 4 || !fits(0, 'd', wmma->type) || !fits(1, 'a', factor) ||
            !fits(2, 'b', factor) || !fits(3, 'c', start))
            return std::nullopt;
        multiply(writer, *wmma, operands);
        return writer.take();
    }
    const std::size_t memory = wmma->part == 'd' ? 0 : 1;
    if (operands.size() < 2 || operands.size() > 3 || !plain(operands[memory], Operand::Kind::Address) ||
        !fragment(function, operands[1 - memory], registersOf(*wmma), wmma->type))
        return std::nullopt;
    // Without a stride, as many elements as a line has.
    const int height = wmma->part == 'b' ? wmma->k : wmma->m, width = wmma->part == 'a' ? wmma->k : wmma->n;
    const Operand stride = operands.size() == 3 ? operands[2] : Writer::number(wmma->rows ? width : height);
    if (!plain(stride, Operand::Kind::Integer) &&
        (!plain(stride, Operand::Kind::Register) || stride.index < 0 ||
         isFloat(function.registers[static_cast<std::size_t>(stride.index)].type)))
        return std::nullopt;
    Access(writer, *wmma, operands[memory], stride).write(operands[1 - memory].elements);
    return writer.take();
}

} // namespace sparserl::ptx

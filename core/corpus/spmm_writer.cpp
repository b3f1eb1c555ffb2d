// SPDX-License-Identifier: Apache-2.0
#include "corpus/spmm_writer.h"

#include <fmt/format.h>

namespace sparserl {

SpmmWriter::SpmmWriter(Grammar& grammar, const Shape& shape)
    : m_g(grammar)
    , m_shape(shape)
{
    m_block = m_g.constant("BLOCK", shape.block);
    m_across = shape.across == 1 ? "1" : m_g.constant("L", shape.across);
    m_ways = shape.ways == 1 ? "1" : m_g.constant("P", shape.ways);
    m_g.useVectors(shape.vec);
    if (shape.vec > 1) // Other widths need another program.
        m_g.buffer(fmt::format("require dense_cols % {} == 0", shape.vec));
}

SpmmWriter::SpmmWriter(Grammar& grammar, const Shape& shape, const Names& names)
    : m_g(grammar)
    , m_shape(shape)
    , m_block(names.block)
    , m_across(names.across)
    , m_ways(names.ways)
{
}

std::string SpmmWriter::known(std::int64_t number, const std::string& text) const
{
    return m_g.style().literalParameters ? std::to_string(number) : text;
}

std::string SpmmWriter::group() const
{
    if (m_shape.ways == 1)
        return m_across;
    if (m_shape.across == 1)
        return m_ways;
    return known(groupSize(), fmt::format("{} * {}", m_across, m_ways));
}

std::string SpmmWriter::perBlock() const
{
    if (groupSize() == 1)
        return m_block;
    const bool product = m_shape.ways > 1 && m_shape.across > 1;
    const std::string text = m_block + " / " + (product ? "(" + group() + ")" : group());
    return known(m_shape.block / groupSize(), text);
}

std::string SpmmWriter::type() const
{
    return m_shape.vec == 1 ? "float" : fmt::format("float{}", m_shape.vec);
}

bool SpmmWriter::hasHints() const
{
    constexpr std::int64_t widestDoubles = 2;
    return m_g.type() != ElementType::F64 || m_shape.vec <= widestDoubles;
}

std::string SpmmWriter::zero() const
{
    return m_shape.vec == 1 ? "0" : m_shape.vec == 2 ? "make_float2(0, 0)" : "make_float4(0, 0, 0, 0)";
}

std::string SpmmWriter::sum(std::int64_t chunk) const
{
    return chunk == 0 ? m_g.name("sum") : fmt::format("{}{}", m_g.name("sum"), chunk);
}

std::string SpmmWriter::columnBlocks() const
{
    const std::int64_t each = m_shape.vec * m_shape.chunks;
    std::string columns = m_across;
    if (m_shape.across == 1)
        columns = std::to_string(each);
    else if (each > 1)
        columns = known(m_shape.across * each, fmt::format("{} * {}", m_across, each));
    return fmt::format("ceil_div(dense_cols, {})", columns);
}

std::string SpmmWriter::grid(const std::string& what) const
{
    return fmt::format("dim3(ceil_div({}, {}), {})", what, perBlock(), columnBlocks());
}

void SpmmWriter::entry(const std::string& grid, const std::vector<std::string>& comments,
                       std::string_view role)
{
    m_g.entry(grid, m_block, comments, role, m_shape.block >= 512);
}

void SpmmWriter::declareColumn(const std::string& lane)
{
    std::string text = "blockIdx.y";
    if (m_shape.across > 1)
        text += fmt::format(" * {} + {}",
                            m_shape.chunks == 1 ? m_across
                                                : known(m_shape.across * m_shape.chunks,
                                                        fmt::format("{} * {}", m_across, m_shape.chunks)),
                            lane);
    else if (m_shape.chunks > 1)
        text += fmt::format(" * {}", m_shape.chunks);
    m_g.line(fmt::format("int {} = {};", m_g.name("j"), text));
}

std::string SpmmWriter::column(std::int64_t chunk) const
{
    return chunk == 0 && !m_shape.clampFirst ? m_g.name("j") : fmt::format("{}{}", m_g.name("j"), chunk);
}

std::string SpmmWriter::apart(std::int64_t chunk) const
{
    if (m_shape.across == 1)
        return std::to_string(chunk);
    return known(m_shape.across * chunk, chunk == 1 ? m_across : fmt::format("{} * {}", chunk, m_across));
}

std::string SpmmWriter::at(const char* array, const std::string& row, const std::string& column) const
{
    const bool sum = row.find(" + ") != std::string::npos && row.find_first_of("[(") == std::string::npos;
    // Vectors are counted in int: 2^31 of them are more than today's devices hold.
    return fmt::format("{}[{}{} * {} + {}]", array, m_shape.vec == 1 ? "(size_t)" : "",
                       sum ? "(" + row + ")" : row, m_g.name("dense_cols"), column);
}

void SpmmWriter::declareChunks()
{
    for (std::int64_t k = 1; k < m_shape.chunks; ++k)
        m_g.line(fmt::format("int {} = min({} + {}, {} - 1);", column(k), m_g.name("j"), apart(k),
                             m_g.name("dense_cols")));
}

void SpmmWriter::declareSums()
{
    std::string text = type();
    for (std::int64_t k = 0; k < m_shape.chunks; ++k)
        text += fmt::format("{} {} = {}", k ? "," : "", sum(k), zero());
    m_g.line(text + ";");
}

std::string SpmmWriter::loadB(const std::string& index, std::int64_t chunk) const
{
    const std::string place = at("B", index, column(chunk));
    return m_g.style().readOnlyLoads && hasHints() ? fmt::format("__ldg(&{})", place) : place;
}

void SpmmWriter::everyComponent(const std::function<void(const std::string& suffix)>& use) const
{
    static constexpr const char* names[] = {".x", ".y", ".z", ".w"};
    if (m_shape.vec == 1) {
        use("");
        return;
    }
    for (std::int64_t k = 0; k < m_shape.vec; ++k)
        use(names[k]);
}

void SpmmWriter::addRow(const std::string& a, const std::string& index)
{
    for (std::int64_t k = 0; k < m_shape.chunks; ++k) {
        if (m_shape.vec == 1) {
            m_g.line(m_g.term(sum(k), a, loadB(index, k)));
            continue;
        }
        const std::string b = rowPart(k);
        m_g.line(fmt::format("{} {} = {};", type(), b, loadB(index, k)));
        everyComponent([&](const std::string& c) { m_g.line(m_g.term(sum(k) + c, a, b + c)); });
    }
}

void SpmmWriter::entryLoop(const Entries& entries)
{
    const std::string& i = m_g.name("i");
    const std::string& a = m_g.name("a");
    std::string end = entries.end;
    if (entries.declared) {
        end = m_g.name("end");
    } else if (entries.batch > 0 || m_g.style().namedEnds) {
        end = m_g.name("end");
        m_g.line(fmt::format("int {} = {};", end, entries.end));
    }
    const auto head = [&](const std::string& step) {
        const std::string start = entries.declared ? "" : fmt::format("int {} = {}", i, entries.begin);
        m_g.open(fmt::format("for ({}; {} < {}; {})", start, i, end,
                             step == "1" ? i + "++" : fmt::format("{} += {}", i, step)));
    };
    if (entries.batch == 0) {
        if (entries.unroll > 1)
            m_g.unroll(entries.unroll);
        head(entries.step);
        if (m_shape.vec == 1 && m_shape.chunks == 1) {
            addRow(entries.value(i), entries.column(i));
        } else if (m_shape.chunks == 1) {
            m_g.line(fmt::format("float {} = {};", a, entries.value(i)));
            addRow(a, entries.column(i));
        } else {
            const std::string& c = m_g.name("column");
            m_g.line(fmt::format("float {} = {};", a, entries.value(i)));
            m_g.line(fmt::format("int {} = {};", c, entries.column(i)));
            addRow(a, c);
        }
        m_g.close();
        return;
    }
    writeBatches(entries, end);
}

void SpmmWriter::writeBatches(const Entries& entries, const std::string& end)
{
    const std::string& i = m_g.name("i");
    const std::string& a = m_g.name("a");
    const std::string& u = m_g.name("u");
    const std::string& c = m_g.name("column");
    const std::string& k = m_g.name("k");
    if (m_batchSize.empty())
        m_batchSize = m_g.constantOnce("U", entries.unroll);
    const std::string& size = m_batchSize;
    const bool unit = entries.step == "1";
    const std::string stride = unit ? size : fmt::format("{} * {}", size, entries.step);
    const std::string ahead = unit ? u : fmt::format("{} * {}", u, entries.step);
    const auto each = [&] {
        m_g.line("#pragma unroll");
        m_g.open(fmt::format("for (int {0} = 0; {0} < {1}; {0}++)", u, size));
    };
    // Past the end the batch's first entry is read again and counts nothing: no branch splits the loads.
    const auto fetch = [&](const std::string& from) {
        each();
        m_g.line(fmt::format("int {0} = {1} + {2} < {3} ? {1} + {2} : {1};", k, from, ahead, end));
        m_g.line(fmt::format("{}[{}] = {};", c, u, entries.column(k)));
        m_g.line(fmt::format("{}[{}] = {};", a, u, entries.value(k)));
        m_g.line(fmt::format("if ({} < {} + {}) {}[{}] = 0;", k, from, ahead, a, u));
        m_g.close();
    };
    if (entries.batch == 1) {
        const std::string start = entries.declared ? "" : fmt::format("int {} = {}", i, entries.begin);
        m_g.open(fmt::format("for ({}; {} < {}; {} += {})", start, i, end, i, stride));
        m_g.line(fmt::format("int {}[{}];", c, size));
        m_g.line(fmt::format("float {}[{}];", a, size));
        fetch(i);
        each();
        addRow(fmt::format("{}[{}]", a, u), fmt::format("{}[{}]", c, u));
        m_g.close();
        m_g.close();
        return;
    }
    const std::string& held = m_g.name("held");
    if (!entries.declared)
        m_g.line(fmt::format("int {} = {};", i, entries.begin));
    m_g.line(fmt::format("int {}[{}];", c, size));
    m_g.line(fmt::format("float {}[{}];", a, size));
    m_g.open(fmt::format("if ({} < {})", i, end));
    fetch(i);
    m_g.close();
    m_g.open(fmt::format("while ({} < {})", i, end));
    m_g.line(fmt::format("float {}[{}];", held, size));
    for (std::int64_t chunk = 0; chunk < m_shape.chunks; ++chunk)
        m_g.line(fmt::format("{} {}[{}];", type(), rowPart(chunk), size));
    each();
    m_g.line(fmt::format("{0}[{1}] = {2}[{1}];", held, u, a));
    for (std::int64_t chunk = 0; chunk < m_shape.chunks; ++chunk)
        m_g.line(fmt::format("{}[{}] = {};", rowPart(chunk), u, loadB(fmt::format("{}[{}]", c, u), chunk)));
    m_g.close();
    m_g.remark("The next batch is on its way while this one is summed.");
    m_g.line(fmt::format("{} += {};", i, stride));
    m_g.open(fmt::format("if ({} < {})", i, end));
    fetch(i);
    m_g.close();
    each();
    for (std::int64_t chunk = 0; chunk < m_shape.chunks; ++chunk) {
        everyComponent([&](const std::string& part) {
            m_g.line(m_g.term(sum(chunk) + part, fmt::format("{}[{}]", held, u),
                              fmt::format("{}[{}]{}", rowPart(chunk), u, part)));
        });
    }
    m_g.close();
    m_g.close();
}

std::string SpmmWriter::rowPart(std::int64_t chunk) const
{
    return chunk == 0 ? m_g.name("b") : fmt::format("{}{}", m_g.name("b"), chunk);
}

std::vector<std::string> SpmmWriter::sums() const
{
    std::vector<std::string> all;
    for (std::int64_t k = 0; k < m_shape.chunks; ++k)
        all.push_back(sum(k));
    return all;
}

void SpmmWriter::reduceWays(const std::string& mask)
{
    reduceNamed(sums(), mask);
}

void SpmmWriter::reduceNamed(const std::vector<std::string>& sums, const std::string& mask)
{
    const std::int64_t inWarp = std::min<std::int64_t>(32, groupSize());
    if (inWarp <= m_shape.across)
        return;
    const std::string& o = m_g.name("offset");
    const std::string top = inWarp == 32 ? "16" : known(inWarp / 2, group() + " / 2");
    m_g.open(fmt::format("for (int {0} = {1}; {0} >= {2}; {0} /= 2)", o, top, m_across));
    for (const std::string& sum : sums) {
        everyComponent([&](const std::string& c) {
            m_g.line(fmt::format("{0}{1} += {2}({3}, {0}{1}, {4});", sum, c,
                                 m_g.style().butterfly || mask != everyLane ? "__shfl_xor_sync"
                                                                            : "__shfl_down_sync",
                                 mask, o));
        });
    }
    m_g.close();
}

void SpmmWriter::reduceSpreadAndStore(const std::string& lane, const std::string& row,
                                      const std::string& condition)
{
    const std::int64_t ways = m_shape.ways;
    const std::string& sum = m_g.name("sum");
    const std::string& upper = m_g.name("upper");
    const std::string& half = m_g.name("half");
    const std::string& one = m_g.name("one");
    const std::string& odd = m_g.name("odd");
    const auto distance = [&](std::int64_t part) {
        return known(groupSize() / part, fmt::format("{} / {}", group(), part));
    };
    const auto bit = [&](std::int64_t part) {
        return m_g.style().literalParameters ? fmt::format("({} & {}) != 0", lane, groupSize() / part)
                                             : fmt::format("({} & ({})) != 0", lane, distance(part));
    };
    const auto exchange = [&](const std::string& target, const std::string& flag, const std::string& low,
                              const std::string& high, std::int64_t part) {
        m_g.line(fmt::format("{} = ({} ? {} : {}) + __shfl_xor_sync({}, {} ? {} : {}, {});", target, flag,
                             high, low, everyLane, flag, low, high, distance(part)));
    };
    m_g.remark("Each step halves what a lane holds.");
    m_g.line(fmt::format("bool {} = {};", upper, bit(2)));
    std::int64_t part = 2;
    std::string place, value = one;
    if (m_shape.vec == 4) {
        m_g.line(fmt::format("float2 {};", half));
        exchange(half + ".x", upper, sum + ".x", sum + ".z", 2);
        exchange(half + ".y", upper, sum + ".y", sum + ".w", 2);
        if (ways == 2) {
            value = half;
            place = upper;
        } else {
            part = 4;
            m_g.line(fmt::format("bool {} = {};", odd, bit(4)));
            exchange("float " + one, odd, half + ".x", half + ".y", 4);
            place = fmt::format("2 * {} + {}", upper, odd);
        }
    } else {
        exchange("float " + one, upper, sum + ".x", sum + ".y", 2);
        place = upper;
    }
    // Lanes that hold the same column add up as usual.
    if (ways > part) {
        const std::string& o = m_g.name("offset");
        m_g.line(
            fmt::format("for (int {0} = {1}; {0} >= {2}; {0} /= 2) {3} += __shfl_xor_sync({4}, {3}, {0});", o,
                        distance(2 * part), m_across, one, everyLane));
    }
    std::string test = fmt::format("{} && {} < {}", condition, m_g.name("j"), m_g.name("dense_cols"));
    if (ways > part)
        test += fmt::format(" && {} % ({}) < {}", lane, distance(part), m_across);
    const bool pairs = value == half;
    m_g.line(fmt::format("if ({}) ((float{}*)C)[({} * {} + {}) * {} + {}] = {};", test, pairs ? "2" : "", row,
                         m_g.name("dense_cols"), m_g.name("j"), pairs ? 2 : m_shape.vec, place, value));
}

void SpmmWriter::declarePartials(std::int64_t sums)
{
    if (m_shape.block == 32)
        return;
    const std::int64_t each = m_shape.across * sums;
    m_g.line(fmt::format("__shared__ {} {}[{}];", type(), m_g.name("partial"),
                         known(m_shape.block / 32 * each,
                               fmt::format("{} / 32 * {}{}", m_block, m_across,
                                           sums > 1 ? fmt::format(" * {}", sums) : std::string()))));
}

void SpmmWriter::reduceBlock(const std::vector<std::string>& sums)
{
    reduceNamed(sums);
    if (m_shape.block == 32)
        return;
    const std::string& partial = m_g.name("partial");
    const std::string& warp = m_g.name("warp");
    const std::string warps = known(m_shape.block / 32, m_block + " / 32");
    const auto slot = [&](std::size_t s, const std::string& w) {
        const std::string first = s == 0 ? w : fmt::format("({} * ({}) + {})", s, warps, w);
        return m_shape.across == 1
                   ? fmt::format("{}[{}]", partial, first)
                   : fmt::format("{}[{} * {} + threadIdx.x % {}]", partial, first, m_across, m_across);
    };
    m_g.open(fmt::format("if ({} < {})", m_g.remainder("threadIdx.x", "32", 32), m_across));
    for (std::size_t s = 0; s < sums.size(); ++s)
        m_g.line(fmt::format("{} = {};", slot(s, m_g.quotient("threadIdx.x", "32", 32)), sums[s]));
    m_g.close();
    m_g.line("__syncthreads();");
    m_g.open(fmt::format("if (threadIdx.x < {})", m_across));
    m_g.open(fmt::format("for (int {0} = 1; {0} < {1}; {0}++)", warp, warps));
    for (std::size_t s = 0; s < sums.size(); ++s) {
        everyComponent([&](const std::string& c) {
            m_g.line(fmt::format("{}{} += {}{};", sums[s], c, slot(s, warp), c));
        });
    }
    m_g.close();
    m_g.close();
}

void SpmmWriter::storeNamed(const std::string& sum, const std::string& row, const std::string& condition)
{
    const std::string& j = m_g.name("j");
    const std::string& n = m_g.name("dense_cols");
    const std::string test = fmt::format("{}{}{} < {}", condition, condition.empty() ? "" : " && ", j, n);
    m_g.line(fmt::format("if ({}) {} = {};", test, at("C", row, j), sum));
}

void SpmmWriter::storeWith(const std::string& row, const std::string& condition, bool atomic)
{
    const std::string& j = m_g.name("j");
    const std::string& n = m_g.name("dense_cols");
    for (std::int64_t k = 0; k < m_shape.chunks; ++k) {
        const std::string own = k == 0 ? j : fmt::format("{} + {}", j, apart(k));
        const std::string test =
            k == 0 && condition == exists
                ? ""
                : fmt::format("{}{}{} < {}", condition == exists ? "" : condition,
                              condition.empty() || condition == exists ? "" : " && ", own, n);
        const std::string place = at("C", row, own);
        const std::string only = test.empty() ? "" : fmt::format("if ({}) ", test);
        if (!atomic) {
            m_g.line(m_shape.stream && hasHints() ? fmt::format("{}__stcs(&{}, {});", only, place, sum(k))
                                                  : fmt::format("{}{} = {};", only, place, sum(k)));
            continue;
        }
        if (m_shape.vec == 1) {
            m_g.line(fmt::format("{}atomicAdd(&{}, {});", only, place, sum(k)));
            continue;
        }
        if (!test.empty())
            m_g.open(fmt::format("if ({})", test));
        const std::string out = k == 0 ? m_g.name("out") : fmt::format("{}{}", m_g.name("out"), k);
        m_g.line(fmt::format("float* {} = (float*)&{};", out, place));
        int part = 0;
        everyComponent([&](const std::string& c) {
            m_g.line(fmt::format("atomicAdd({}{}, {}{});", out, part ? fmt::format(" + {}", part) : "",
                                 sum(k), c));
            ++part;
        });
        if (!test.empty())
            m_g.close();
    }
}

void SpmmWriter::store(const std::string& row, const std::string& condition)
{
    storeWith(row, condition, false);
}

void SpmmWriter::storeAtomically(const std::string& row, const std::string& condition)
{
    storeWith(row, condition, true);
}

} // namespace sparserl

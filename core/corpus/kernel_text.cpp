// SPDX-License-Identifier: Apache-2.0
#include "corpus/kernel_text.h"
#include "base/trimmed.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>

namespace sparserl {

namespace {

std::string_view withoutBlanks(std::string_view text)
{
    return trimmed(text, " \t");
}

bool isRole(char c)
{
    return std::islower(static_cast<unsigned char>(c)) || std::isdigit(static_cast<unsigned char>(c)) ||
           c == '_';
}

bool isKey(char c)
{
    return std::isupper(static_cast<unsigned char>(c)) || std::isdigit(static_cast<unsigned char>(c)) ||
           c == '_';
}

/// The arguments between '[' at `at` and its partner, split at ';' outside inner brackets; moves `at` behind.
std::vector<std::string_view> bracketed(std::string_view line, std::size_t& at)
{
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t start = at + 1;
    for (; at < line.size(); ++at) {
        const char c = line[at];
        if (c == '[' || c == '(') {
            ++depth;
        } else if (c == ']' || c == ')') {
            if (--depth == 0) {
                parts.push_back(withoutBlanks(line.substr(start, at - start)));
                ++at;
                break;
            }
        } else if (c == ';' && depth == 1) {
            parts.push_back(withoutBlanks(line.substr(start, at - start)));
            start = at + 1;
        }
    }
    return parts;
}

} // namespace

KernelText& KernelText::set(const std::string& key, const std::string& text)
{
    m_values[key] = {text, 0};
    return *this;
}

KernelText& KernelText::set(const std::string& key, std::int64_t number)
{
    m_values[key] = {std::to_string(number), number};
    return *this;
}

KernelText& KernelText::constant(const std::string& key, std::int64_t number)
{
    m_values[key] = {m_grammar.constant(key, number), number};
    return *this;
}

KernelText& KernelText::stream(bool streamed)
{
    m_stream = streamed;
    return *this;
}

std::string KernelText::production(std::string_view name, const std::vector<std::string>& arguments)
{
    const auto at = [&](std::size_t i) { return i < arguments.size() ? arguments[i] : std::string(); };
    if (name == "x")
        return m_grammar.loadX(at(0));
    if (name == "mad")
        return m_grammar.term(at(0), at(1), at(2));
    // CUDA has no streaming load of the 32 bytes of four doubles.
    const bool streams =
        m_stream && (m_grammar.type() != ElementType::F64 || at(0).find("float4") == std::string::npos);
    if (name == "ld")
        return streams ? fmt::format("__ldcs(&{}[{}])", at(0), at(1)) : fmt::format("{}[{}]", at(0), at(1));
    const auto value = m_values.find(at(1));
    if (value == m_values.end())
        return {};
    return name == "div" ? m_grammar.quotient(at(0), value->second.text, value->second.number)
                         : m_grammar.remainder(at(0), value->second.text, value->second.number);
}

std::string KernelText::mark(std::string_view line, std::size_t& at)
{
    const bool role = line[at] == '$';
    const std::size_t start = ++at;
    while (at < line.size() && (role ? isRole(line[at]) : isKey(line[at])))
        ++at;
    const std::string_view name = line.substr(start, at - start);
    if (!role) {
        const auto found = m_values.find(name);
        return found == m_values.end() ? fmt::format("@{}", name) : found->second.text;
    }
    const bool called = at < line.size() && line[at] == '[' &&
                        (name == "x" || name == "mad" || name == "ld" || name == "div" || name == "mod");
    if (!called)
        return m_grammar.name(name);
    std::vector<std::string> arguments;
    for (std::string_view argument : bracketed(line, at)) {
        const bool key = !arguments.empty() && (name == "div" || name == "mod");
        arguments.push_back(key ? std::string(argument) : expand(argument));
    }
    return production(name, arguments);
}

std::string KernelText::expand(std::string_view line)
{
    std::string result;
    for (std::size_t at = 0; at < line.size();) {
        if (line[at] == '$' || line[at] == '@')
            result += mark(line, at);
        else
            result += line[at++];
    }
    return result;
}

/// "8", "@N" or a quotient of two such: compilers want a number there, whatever the style.
std::int64_t KernelText::times(std::string_view expression) const
{
    const std::size_t slash = expression.find('/');
    if (slash != std::string_view::npos)
        return times(withoutBlanks(expression.substr(0, slash))) /
               times(withoutBlanks(expression.substr(slash + 1)));
    if (expression.substr(0, 1) == "@") {
        const auto found = m_values.find(expression.substr(1));
        return found == m_values.end() ? 1 : std::max<std::int64_t>(1, found->second.number);
    }
    return std::max<std::int64_t>(1, std::atoll(std::string(expression).c_str()));
}

void KernelText::write(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = withoutBlanks(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        std::size_t at = line.find('[');
        const std::string_view head = line.substr(0, at);
        const auto argument = [&](std::size_t i) {
            std::size_t from = line.find('[');
            const auto parts = bracketed(line, from);
            return i < parts.size() ? expand(parts[i]) : std::string();
        };
        if (line.empty())
            continue;
        if (line == "}")
            m_grammar.close();
        else if (line.substr(0, 3) == "// ")
            m_grammar.remark(expand(line.substr(3)));
        else if (head == "$guard")
            m_grammar.guard(argument(0), argument(1));
        else if (line == "$endguard")
            m_grammar.endGuard();
        else if (head == "$reduce")
            m_grammar.reduceLanes(argument(0), argument(1), argument(2));
        else if (head == "$unroll")
            m_grammar.unroll(times(withoutBlanks(line.substr(8, line.size() - 9))));
        else if (line.back() == '{')
            m_grammar.open(expand(withoutBlanks(line.substr(0, line.size() - 1))));
        else
            m_grammar.line(expand(line));
    }
}

const FamilyParameter& predicateParameter()
{
    static const FamilyParameter parameter = {
        "predicate",
        "how batches treat entries past the row's end; 0: read from the "
        "row's first entry; 1: left out by predicates, which spares "
        "gathers of x",
        {0, 1}};
    return parameter;
}

const FamilyParameter& splitParameter()
{
    static const FamilyParameter parameter = {
        "split", "blocks per long row; from 2 on a second kernel adds up their sums", {1, 2, 4, 8, 16}};
    return parameter;
}

void writeSplitSums(Grammar& grammar, KernelText& text, const std::string& count, const std::string& ids)
{
    grammar.argument("int", "count", count);
    if (!ids.empty())
        grammar.argument("const int*", "sum_ids", ids);
    grammar.argument("const float*", "split_sums", "split_sums");
    grammar.argument("float*", "y_out", "y");
    grammar.entry(text.expand(fmt::format("ceil_div({}, @BLOCK)", count)), text.expand("@BLOCK"),
                  {"Adds up the sums of the blocks of one row.", "The blocks of a row meet here."},
                  "add_kernel", grammar.parameter("block") > 512);
    text.set("TARGET",
             ids.empty() ? grammar.name("i") : grammar.name("sum_ids") + "[" + grammar.name("i") + "]");
    text.write(R"(
        int $i = blockIdx.x * blockDim.x + threadIdx.x;
        if ($i >= $count) return;
        float $sum = 0;
        $unroll[@SPLIT]
        for (int $u = 0; $u < @SPLIT; $u++) $sum += $split_sums[$i * @SPLIT + $u];
        $y_out[@TARGET] = $sum;)");
}

const FamilyParameter& clearParameter()
{
    static const FamilyParameter parameter = {
        "clear", "y is cleared by 0: the plan's zero line; 1: a kernel of its own, launched first", {0, 1}};
    return parameter;
}

void writeClear(Grammar& grammar, KernelText& text)
{
    if (grammar.parameter("clear") == 0) {
        grammar.buffer("zero y");
        return;
    }
    grammar.argument("int", "rows", "rows");
    grammar.argument("float*", "y_out", "y");
    grammar.entry(text.expand("ceil_div(rows, @BLOCK)"), text.expand("@BLOCK"),
                  {"Clears y: the next kernel adds to it.", "y starts from zero."}, "clear_kernel");
    text.write(R"(
        int $i = blockIdx.x * blockDim.x + threadIdx.x;
        if ($i < $rows) $y_out[$i] = 0;)");
}

void writeRowSum(Grammar& grammar, KernelText& text, const RowSum& row)
{
    const std::string& i = grammar.name("i");
    const std::string& end = grammar.name("end");
    KernelText local(text);
    local.set("SUM", row.sum).set("BEGIN", row.begin).set("END", row.end).set("STEP", row.step);
    local.set("COL", row.col).set("VAL", row.val).set("N", row.batch);
    local.set("BASE", row.base.empty() ? "" : row.base + " + ");
    if (row.batch == 1) {
        local.set("ADVANCE", row.step == "1" ? i + "++" : fmt::format("{} += {}", i, row.step));
        if (grammar.style().namedEnds) {
            local.write("int $end = @END;");
            local.set("END", end);
        }
        local.write(R"(
            for (int $i = @BEGIN; $i < @END; @ADVANCE) {
            $mad[@SUM; $ld[@VAL;$i]; $x[@BASE$ld[@COL;$i]]]
            })");
        return;
    }
    local.set("ADVANCE",
              row.step == "1" ? std::to_string(row.batch) : fmt::format("{} * {}", row.batch, row.step));
    local.set("AHEAD",
              row.step == "1" ? grammar.name("u") : fmt::format("{} * {}", grammar.name("u"), row.step));
    if (row.predicated) {
        local.set("TYPE", row.base.empty() ? "int" : "unsigned short");
        local.write(R"(
            int $end = @END;
            for (int $i = @BEGIN; $i < $end; $i += @ADVANCE) {
            @TYPE $c[@N] = {};
            float $a[@N] = {};
            // First all entries, then all of x.
            $unroll[@N]
            for (int $u = 0; $u < @N; $u++) {
            if ($i + @AHEAD < $end) {
            $c[$u] = $ld[@COL;$i + @AHEAD];
            $a[$u] = $ld[@VAL;$i + @AHEAD];
            }
            }
            $unroll[@N]
            for (int $u = 0; $u < @N; $u++) {
            float $b = 0;
            if ($i + @AHEAD < $end) $b = $x[@BASE$c[$u]];
            $mad[@SUM; $a[$u]; $b]
            }
            })");
        return;
    }
    local.write(R"(
        int $end = @END;
        // Entries behind the end are read again but not added.
        for (int $i = @BEGIN; $i < $end; $i += @ADVANCE) {
        $unroll[@N]
        for (int $u = 0; $u < @N; $u++) {
        int $k = $i + @AHEAD < $end ? $i + @AHEAD : $i;
        float $a = $ld[@VAL;$k];
        float $b = $x[@BASE$ld[@COL;$k]];
        $mad[@SUM; $a; ($i + @AHEAD < $end ? $b : 0.0f)]
        }
        })");
}

} // namespace sparserl

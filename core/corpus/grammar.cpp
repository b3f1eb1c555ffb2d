// SPDX-License-Identifier: Apache-2.0
#include "corpus/grammar.h"

#include "corpus/element_words.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace sparserl {

Grammar::Grammar(const FamilyParameters& parameters, const Style& style, Task task, ElementType type)
    : m_parameters(parameters.begin(), parameters.end())
    , m_style(style)
    , m_names(style)
    , m_task(task)
    , m_type(type)
{
}

const std::string& Grammar::name(std::string_view role)
{
    return m_names.of(m_task == Task::SpMM && role == "kernel" ? "kernel_mm" : role);
}

std::string Grammar::constant(const std::string& constName, std::int64_t value)
{
    if (m_style.literalParameters)
        return std::to_string(value);
    m_consts.push_back(fmt::format("{} = {}", constName, value));
    return constName;
}

std::string Grammar::constantOnce(const std::string& constName, std::int64_t value)
{
    const std::string text = fmt::format("{} = {}", constName, value);
    if (std::find(m_consts.begin(), m_consts.end(), text) != m_consts.end())
        return constName;
    return constant(constName, value);
}

void Grammar::argument(const std::string& type, std::string_view role, const std::string& planned)
{
    m_arguments.push_back({type, name(role), planned});
}

void Grammar::matrixArguments(const std::string& formatName)
{
    argument("const int*", "col", formatName + ".col");
    argument("const float*", "val", formatName + ".val");
    vectorArguments();
}

void Grammar::vectorArguments()
{
    if (m_task == Task::SpMM) {
        const std::string size = m_vectorSize > 1 ? std::to_string(m_vectorSize) : "";
        m_arguments.push_back({fmt::format("const float{}*", size), "B", "B"});
        m_arguments.push_back({fmt::format("float{}*", size), "C", "C"});
        argument("int", "dense_cols", m_vectorSize > 1 ? "dense_cols / " + size : "dense_cols");
        return;
    }
    m_arguments.push_back({"const float*", "x", "x"});
    m_arguments.push_back({"float*", "y", "y"});
}

void Grammar::finish()
{
    if (!m_body.empty())
        m_finished += m_body + "}\n";
    m_body.clear();
}

void Grammar::entry(const std::string& grid, const std::string& block,
                    const std::vector<std::string>& comments, std::string_view role, bool bounded)
{
    const bool commented = m_style.comments > 0 && !comments.empty();
    startKernel("launch", grid, block, commented ? comments[m_style.seed % comments.size()] : std::string(),
                role, bounded);
}

void Grammar::prepare(const std::string& grid, const std::string& block, std::string_view role)
{
    startKernel("prepare", grid, block, {}, role, false);
}

void Grammar::function(const std::string& head)
{
    finish();
    m_body = head + (m_style.braceOnOwnLine ? "\n{\n" : " {\n");
}

void Grammar::startKernel(const std::string& call, const std::string& grid, const std::string& block,
                          const std::string& comment, std::string_view role, bool bounded)
{
    finish();
    std::vector<std::string> planned, declared;
    for (const Argument& argument : m_arguments) {
        planned.push_back(argument.planned);
        const bool pointer = argument.type.back() == '*';
        declared.push_back(fmt::format("{} {}{}", argument.type,
                                       pointer && m_style.restrictPointers ? "__restrict__ " : "",
                                       argument.name));
    }
    m_arguments.clear();
    m_calls.push_back(
        fmt::format("{} {}<<<{}, {}>>>({})", call, name(role), grid, block, fmt::join(planned, ", ")));
    if (!comment.empty())
        m_body += fmt::format("// {}\n", comment);
    m_body += fmt::format("extern \"C\" __global__ void {}{}({})",
                          m_style.launchBounds || bounded ? fmt::format("__launch_bounds__({}) ", block) : "",
                          name(role), fmt::join(declared, ", "));
    m_body += m_style.braceOnOwnLine ? "\n{\n" : " {\n";
}

void Grammar::line(const std::string& text)
{
    m_body += std::string(static_cast<std::size_t>(m_depth * m_style.indent), ' ') + text + '\n';
}

void Grammar::open(const std::string& text)
{
    line(text + " {");
    ++m_depth;
}

void Grammar::close()
{
    --m_depth;
    line("}");
}

void Grammar::remark(const std::string& text)
{
    if (m_style.comments > 1)
        line("// " + text);
}

std::string Grammar::quotient(const std::string& value, const std::string& by, std::int64_t number) const
{
    if (m_style.bitOperations && m_style.literalParameters)
        return fmt::format("({} >> {})", value, std::countr_zero(static_cast<std::uint64_t>(number)));
    return fmt::format("{} / {}", value, by);
}

std::string Grammar::remainder(const std::string& value, const std::string& by, std::int64_t number) const
{
    if (!m_style.bitOperations)
        return fmt::format("{} % {}", value, by);
    return m_style.literalParameters ? fmt::format("({} & {})", value, number - 1)
                                     : fmt::format("({} & ({} - 1))", value, by);
}

void Grammar::guard(const std::string& index, const std::string& bound)
{
    m_guardOpen = m_style.guardBlock;
    if (m_guardOpen)
        open(fmt::format("if ({} < {})", index, bound));
    else
        line(fmt::format("if ({} >= {}) return;", index, bound));
}

void Grammar::endGuard()
{
    if (m_guardOpen)
        close();
    m_guardOpen = false;
}

std::string Grammar::loadX(const std::string& index) const
{
    return m_style.readOnlyLoads ? fmt::format("__ldg(&x[{}])", index) : fmt::format("x[{}]", index);
}

std::string Grammar::term(const std::string& sum, const std::string& a, const std::string& b) const
{
    return m_style.fusedCalls ? fmt::format("{} = fmaf({}, {}, {});", sum, a, b, sum)
                              : fmt::format("{} += {} * {};", sum, a, b);
}

std::string Grammar::entryTerm(const std::string& sum, const std::string& index)
{
    return term(sum, fmt::format("{}[{}]", name("val"), index),
                loadX(fmt::format("{}[{}]", name("col"), index)));
}

void Grammar::unroll(std::int64_t times)
{
    if (times > 0)
        m_body += fmt::format("#pragma unroll {}\n", times);
}

void Grammar::dotLoop(const Loop& loop)
{
    const std::string& sum = name("sum");
    const std::string& i = name("i");
    const std::string advance = loop.step == "1" ? i + "++" : fmt::format("{} += {}", i, loop.step);
    std::string declarations = fmt::format("float {} = 0", sum);
    for (std::int64_t k = 1; k < loop.accumulators; ++k)
        declarations += fmt::format(", {}{} = 0", sum, k);
    line(declarations + ";");

    std::string end = loop.end;
    if (m_style.namedEnds || loop.accumulators > 1) {
        end = name("end");
        line(fmt::format("int {} = {};", end, loop.end));
    }
    if (loop.accumulators > 1) {
        const auto ahead = [&](std::int64_t k) {
            if (k == 0)
                return i;
            if (loop.step == "1")
                return fmt::format("{} + {}", i, k);
            return k == 1 ? fmt::format("{} + {}", i, loop.step)
                          : fmt::format("{} + {} * {}", i, k, loop.step);
        };
        const std::int64_t last = loop.accumulators - 1;
        line(fmt::format("int {} = {};", i, loop.begin));
        open(fmt::format("for (; {} < {}; {} += {})", ahead(last), end, i,
                         loop.step == "1" ? std::to_string(loop.accumulators)
                                          : fmt::format("{} * {}", loop.accumulators, loop.step)));
        for (std::int64_t k = 0; k < loop.accumulators; ++k)
            line(entryTerm(k == 0 ? sum : fmt::format("{}{}", sum, k), ahead(k)));
        close();
        line(fmt::format("for (; {} < {}; {}) {}", i, end, advance, entryTerm(sum, i)));
        std::string total;
        for (std::int64_t k = 1; k < loop.accumulators; ++k)
            total += fmt::format("{}{}{}", k > 1 ? " + " : "", sum, k);
        line(fmt::format("{} += {};", sum, total));
        return;
    }
    if (m_style.whileLoop) {
        line(fmt::format("int {} = {};", i, loop.begin));
        unroll(loop.unroll);
        open(fmt::format("while ({} < {})", i, end));
        line(entryTerm(sum, i));
        line(advance + ";");
        close();
        return;
    }
    unroll(loop.unroll);
    line(fmt::format("for (int {} = {}; {} < {}; {})", i, loop.begin, i, end, advance));
    m_body.pop_back();
    m_body += " " + entryTerm(sum, i) + "\n";
}

void Grammar::reduceLanes(const std::string& first, const std::string& last, const std::string& width)
{
    const std::string& o = name("offset");
    const std::string& sum = name("sum");
    const std::string call = m_style.butterfly ? fmt::format("__shfl_xor_sync(0xffffffff, {}, {})", sum, o)
                             : width.empty()
                                 ? fmt::format("__shfl_down_sync(0xffffffff, {}, {})", sum, o)
                                 : fmt::format("__shfl_down_sync(0xffffffff, {}, {}, {})", sum, o, width);
    line(fmt::format("for (int {0} = {1}; {0} {2}; {0} /= 2) {3} += {4};", o, first,
                     last == "1" ? "> 0" : ">= " + last, sum, call));
}

std::string Grammar::text() const
{
    std::string result =
        fmt::format("//! task {}{}{}\n", nameOf(m_task), m_type == ElementType::F32 ? "" : " ",
                    m_type == ElementType::F32 ? "" : nameOf(m_type));
    for (const std::string& constant : m_consts)
        result += fmt::format("//! const {}\n", constant);
    for (const std::string& part : m_parts)
        result += fmt::format("//! part {}\n", part);
    for (const std::string& format : m_formats)
        result += fmt::format("//! format {}\n", format);
    for (const std::string& buffer : m_buffers)
        result += fmt::format("//! {}\n", inElementType(buffer, m_type));
    for (const std::string& call : m_calls)
        result += fmt::format("//! {}\n", call);
    return result + inElementType(m_finished + m_body, m_type) + "}\n";
}

std::string Grammar::codeText() const
{
    std::string result;
    for (auto at = m_consts.begin(); at != m_consts.end(); ++at) {
        if (std::find(m_consts.begin(), at, *at) == at) // several parts may have asked for it
            result += fmt::format("constexpr int {};\n", *at);
    }
    return result + inElementType(m_finished + m_body, m_type) + "}\n";
}

} // namespace sparserl

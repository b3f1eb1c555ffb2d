// SPDX-License-Identifier: Apache-2.0
#include "kernel/bundle_plan.h"

#include "kernel/export/src/plan_code.h"
#include "kernel/plan_names.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <map>

namespace sparserl {

namespace {

namespace code = sparserl_bundle::code;

/// In the order of sparserl_bundle::Kind.
constexpr std::array<std::string_view, 17> kinds{"csr",    "coo",     "csc",    "ell",    "sell", "hyb",
                                                 "dia",    "bsr",     "csr16",  "sell16", "csr5", "tiles",
                                                 "blocks", "windows", "panels", "order",  "dense"};
static_assert(planNumbers.size() == code::scalars && planNumbers[code::rows] == "rows" &&
              planNumbers[code::cols] == "cols" && planNumbers[code::nnz] == "nnz" &&
              planNumbers[code::max_length] == "max_length" &&
              planNumbers[code::mean_length] == "mean_length" && planNumbers[code::sm_count] == "sm_count" &&
              planNumbers[code::dense_cols] == "dense_cols");
constexpr std::array<std::string_view, 3> csrArrays{"row_ptr", "col", "val"};
constexpr std::array<std::string_view, 4> partArrays{"row_ids", "row_ptr", "col", "val"};
constexpr std::array<std::string_view, 2> partCounts{"rows", "nnz"};

template <typename List, typename Match>
std::int64_t position(const List& list, Match match)
{
    const auto at = std::find_if(list.begin(), list.end(), match);
    return at == list.end() ? -1 : at - list.begin();
}

template <typename List>
std::int64_t indexOf(const List& list, std::string_view name)
{
    return position(list, [&](const auto& one) { return one == name; });
}

template <typename List>
std::int64_t named(const List& list, std::string_view name)
{
    return position(list, [&](const auto& one) { return one.name == name; });
}

class Writer
{
public:
    Writer(const Plan& plan, const std::vector<BundleKernel>& kernels)
        : m_plan(plan)
        , m_kernels(kernels)
    {
    }

    Result<std::vector<std::int64_t>> write()
    {
        add(m_plan.consts.size());
        for (const PlanConst& constant : m_plan.consts)
            expression(*constant.value);
        add(m_plan.parts.size());
        for (const PlanPart& part : m_plan.parts) {
            add(part.low);
            add(part.high ? *part.high : -1);
        }
        add(m_plan.formats.size());
        for (const PlanFormat& format : m_plan.formats)
            writeFormat(format);
        add(m_plan.requirements.size());
        for (const PlanRequirement& wanted : m_plan.requirements) {
            expression(*wanted.left);
            add(comparison(wanted.comparison));
            expression(*wanted.right);
        }
        add(m_plan.buffers.size());
        for (const PlanBuffer& buffer : m_plan.buffers) {
            add(sizeOf(buffer.type));
            add(buffer.zero && !buffer.prepared);
            expression(*buffer.count);
        }
        add(!m_plan.zeroed.empty());
        add(m_plan.calls.size());
        for (const PlanCall& call : m_plan.calls)
            writeCall(call);
        if (!m_problem.empty())
            return fail("the program cannot be exported: " + m_problem, "verify it again");
        return std::move(m_words);
    }

private:
    void add(std::int64_t word) { m_words.push_back(word); }
    void add(std::size_t word) { m_words.push_back(static_cast<std::int64_t>(word)); }
    void add(bool word) { m_words.push_back(word ? 1 : 0); }

    /// The index of something that the plan's parser has found; else the plan did not come from it.
    void add(std::int64_t index, const std::string& what)
    {
        if (index < 0 && m_problem.empty())
            m_problem = fmt::format("'{}' is unknown", what);
        add(index);
    }

    /// Number of operations, then the operations in postfix order.
    void expression(const PlanExpr& expr)
    {
        const std::size_t place = m_words.size();
        add(std::int64_t(0));
        m_operations = 0;
        operations(expr);
        m_words[place] = m_operations;
    }

    /// The expression that is a number.
    void literal(std::int64_t number)
    {
        add(std::int64_t(1)); // One operation.
        add(std::int64_t(code::literal));
        add(number);
    }

    /// A real is its bits to a bundle: a launch copies bytes.
    std::int64_t realBits(const PlanArgument& argument, const PlanCall& call, std::size_t index, int bytes)
    {
        if (bytes != sizeof(float) && m_problem.empty())
            m_problem = fmt::format("parameter {} of '{}' has {} bytes and cannot hold a float32", index + 1,
                                    call.kernel, bytes);
        return std::bit_cast<std::uint32_t>(argument.real);
    }

    void operation(std::int64_t op)
    {
        ++m_operations;
        add(op);
    }

    static std::int64_t comparison(PlanRequirement::Comparison comparison)
    {
        using Comparison = PlanRequirement::Comparison;
        switch (comparison) {
        case Comparison::Equal:
            return code::equal;
        case Comparison::NotEqual:
            return code::not_equal;
        case Comparison::Less:
            return code::less;
        case Comparison::LessOrEqual:
            return code::less_or_equal;
        case Comparison::Greater:
            return code::greater;
        case Comparison::GreaterOrEqual:
            break;
        }
        return code::greater_or_equal;
    }

    static std::optional<std::int64_t> binary(PlanExpr::Op op)
    {
        using Op = PlanExpr::Op;
        switch (op) {
        case Op::Add:
            return code::add;
        case Op::Sub:
            return code::sub;
        case Op::Mul:
            return code::mul;
        case Op::Div:
            return code::div;
        case Op::Mod:
            return code::mod;
        case Op::Min:
            return code::min;
        case Op::Max:
            return code::max;
        case Op::CeilDiv:
            return code::ceil_div;
        default:
            return std::nullopt;
        }
    }

    void operations(const PlanExpr& expr)
    {
        // Chains such as a+b+c lean to the left and can be thousands long: walk them, do not recurse.
        std::vector<const PlanExpr*> spine;
        const PlanExpr* node = &expr;
        while (binary(node->op)) {
            spine.push_back(node);
            node = node->operands[0].get();
        }
        leaf(*node);
        for (auto outer = spine.rbegin(); outer != spine.rend(); ++outer) {
            operations(*(*outer)->operands[1]);
            operation(*binary((*outer)->op));
        }
    }

    void leaf(const PlanExpr& expr)
    {
        using Op = PlanExpr::Op;
        switch (expr.op) {
        case Op::Literal:
            operation(code::literal);
            add(expr.value);
            break;
        case Op::Name: {
            const std::int64_t scalar = indexOf(planNumbers, expr.name);
            operation(scalar >= 0 ? code::scalar : code::constant);
            add(scalar >= 0 ? scalar : named(m_plan.consts, expr.name), expr.name);
            break;
        }
        case Op::Member: {
            const std::int64_t part = named(m_plan.parts, expr.name);
            operation(part >= 0 ? code::part_count : code::count);
            if (part >= 0) {
                add(part);
                add(indexOf(partCounts, expr.member), expr.member);
                break;
            }
            const std::int64_t format = named(m_plan.formats, expr.name);
            add(format, expr.name);
            if (format >= 0)
                add(indexOf(signature(format).counts, expr.member), expr.member);
            break;
        }
        default: // Neg, Pow2Ceil
            operations(*expr.operands[0]);
            operation(expr.op == Op::Neg ? code::neg : code::pow2_ceil);
        }
    }

    const FormatSignature& signature(std::int64_t format) const
    {
        return *formatSignature(m_plan.formats[static_cast<std::size_t>(format)].spec.kind);
    }

    void writeFormat(const PlanFormat& format)
    {
        const auto& given = format.spec.parameters;
        add(indexOf(kinds, format.spec.kind), format.spec.kind);
        const std::int64_t part = named(m_plan.parts, format.part);
        if (format.part.empty())
            add(std::int64_t(-1));
        else
            add(part, format.part);
        if (format.spec.kind == "hyb") {
            const auto quantile = given.find("quantile");
            add(std::int64_t(2));
            add(quantile != given.end());
            add(quantile != given.end() ? quantile->second : given.at("width"));
            return;
        }
        const auto& wanted = formatSignature(format.spec.kind)->parameters;
        add(wanted.size());
        for (const std::string& name : wanted)
            add(given.at(name));
    }

    void writeExtents(const std::vector<PlanExprPtr>& extents)
    {
        add(extents.size());
        for (const PlanExprPtr& extent : extents)
            expression(*extent);
    }

    void writeCall(const PlanCall& call)
    {
        add(call.prepare);
        const std::int64_t kernel = named(m_kernels, call.kernel);
        add(kernel, call.kernel);
        writeExtents(call.grid);
        writeExtents(call.block);
        if (call.sharedBytes) {
            expression(*call.sharedBytes);
        } else {
            literal(0);
        }
        add(call.arguments.size());
        if (kernel < 0)
            return;
        const auto& bytes = m_kernels[static_cast<std::size_t>(kernel)].parameterBytes;
        if (bytes.size() != call.arguments.size() && m_problem.empty())
            m_problem = fmt::format("'{}' takes {} arguments, the plan gives {}", call.kernel, bytes.size(),
                                    call.arguments.size());
        for (std::size_t i = 0; i < call.arguments.size() && i < bytes.size(); ++i)
            writeArgument(call, i, bytes[i]);
    }

    void writeArgument(const PlanCall& call, std::size_t index, int bytes)
    {
        const PlanArgument& argument = call.arguments[index];
        const std::string& name = argument.array;
        if (bytes != 8 && (bytes != 4 || !name.empty()) && m_problem.empty())
            m_problem = fmt::format("parameter {} of '{}' has {} bytes", index + 1, call.kernel, bytes);
        if (argument.factor) {
            if (bytes != static_cast<int>(sizeOf(m_plan.type)) && m_problem.empty())
                m_problem = fmt::format("parameter {} of '{}' has {} bytes and cannot hold {}", index + 1,
                                        call.kernel, bytes, nameOf(*argument.factor));
            return add(std::int64_t(*argument.factor == Factor::Alpha ? code::alpha : code::beta));
        }
        if (name.empty()) {
            add(std::int64_t(code::number));
            add(std::int64_t(bytes));
            if (argument.value)
                expression(*argument.value);
            else
                literal(realBits(argument, call, index, bytes));
            return;
        }
        if (const TensorRule* tensor = ruleOf(tensorRules, name))
            return add(std::int64_t(tensor->role == TensorRole::Input ? code::input : code::output));
        const auto dot = name.find('.');
        const std::string owner = name.substr(0, dot);
        const std::string array = dot == std::string::npos ? std::string() : name.substr(dot + 1);
        if (dot == std::string::npos)
            return place(code::buffer, 0, named(m_plan.buffers, name), name);
        if (owner == "csr")
            return place(code::csr_array, 0, indexOf(csrArrays, array), name);
        if (const std::int64_t part = named(m_plan.parts, owner); part >= 0)
            return place(code::part_array, part, indexOf(partArrays, array), name);
        const std::int64_t format = named(m_plan.formats, owner);
        place(code::format_array, format, format < 0 ? -1 : named(signature(format).arrays, array), name);
    }

    void place(std::int64_t kind, std::int64_t owner, std::int64_t index, const std::string& name)
    {
        add(kind);
        add(owner, name);
        add(index, name);
    }

    const Plan& m_plan;
    const std::vector<BundleKernel>& m_kernels;
    std::vector<std::int64_t> m_words;
    std::int64_t m_operations = 0;
    std::string m_problem;
};

} // namespace

Result<std::vector<std::int64_t>> bundlePlanWords(const Plan& plan, const std::vector<BundleKernel>& kernels)
{
    return Writer(plan, kernels).write();
}

std::string bundleDataSource(std::string_view ptx, const std::vector<BundleKernel>& kernels,
                             const std::vector<std::int64_t>& plan, std::int64_t denseColumns,
                             std::uint64_t patternChecksum)
{
    std::string text = "// SPDX-License-Identifier: Apache-2.0\n"
                       "// Written by SparseRL Workbench: the program as numbers.\n#include \"data.h\"\n\n"
                       "namespace sparserl_bundle {\n\n";
    int column = 0;
    const auto number = [&](const std::string& digits) {
        text += digits;
        text += ++column % 6 == 0 ? ",\n" : ",";
    };
    const auto end = [&] {
        text += column % 6 == 0 ? "};\n" : "\n};\n";
        column = 0;
    };
    text += "const std::uint64_t ptx_words[] = {\n";
    for (std::size_t i = 0; i <= ptx.size(); i += 8) { // At least one byte beyond the text, which is 0.
        std::uint64_t word = 0;
        const std::string_view bytes = ptx.substr(i, 8);
        std::memcpy(&word, bytes.data(), bytes.size());
        number(fmt::format("{:#x}u", word));
    }
    end();
    text += fmt::format("const std::size_t ptx_bytes = {};\n\nconst unsigned char kernel_names[] = {{\n",
                        ptx.size());
    for (const BundleKernel& kernel : kernels) {
        for (const char c : kernel.name)
            number(std::to_string(static_cast<unsigned char>(c)));
        number("0");
    }
    number("0");
    end();
    text += "\nconst std::int64_t plan_words[] = {\n";
    for (const std::int64_t word : plan)
        number(word == INT64_MIN ? "INT64_MIN" : std::to_string(word));
    end();
    text += fmt::format("const std::size_t plan_size = {};\n\nconst std::int64_t verified_dense_cols = {};\n"
                        "const std::uint64_t verified_pattern = {:#x}u;\n\n}} // namespace sparserl_bundle\n",
                        plan.size(), denseColumns, patternChecksum);
    return text;
}

} // namespace sparserl

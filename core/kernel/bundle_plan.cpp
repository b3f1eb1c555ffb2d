// SPDX-License-Identifier: Apache-2.0
#include "kernel/bundle_plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace sparserl {

namespace {

/// Kernels in the order of their first call.
std::vector<std::string> kernelNames(const Plan& plan)
{
    std::vector<std::string> names;
    for (const PlanCall& call : plan.calls) {
        if (std::find(names.begin(), names.end(), call.kernel) == names.end())
            names.push_back(call.kernel);
    }
    return names;
}

/// C++ for an expression; names get prefixes so that none can clash with the surroundings.
std::string emit(const PlanExpr& expr)
{
    using Op = PlanExpr::Op;
    const auto operand = [&](std::size_t i) { return emit(*expr.operands[i]); };
    const auto binary = [&](const char* sign) {
        // A chain leans to the left: collect it, do not recurse into it.
        std::vector<const PlanExpr*> chain{&expr};
        while (chain.back()->operands[0]->op == expr.op)
            chain.push_back(chain.back()->operands[0].get());
        std::string text = "(" + emit(*chain.back()->operands[0]);
        for (auto node = chain.rbegin(); node != chain.rend(); ++node)
            text += fmt::format(" {} {}", sign, emit(*(*node)->operands[1]));
        return text + ")";
    };
    switch (expr.op) {
    case Op::Literal:
        return fmt::format("std::int64_t({})", expr.value);
    case Op::Name:
        return "n_" + expr.name;
    case Op::Member:
        return fmt::format("f_{}.{}", expr.name, expr.member);
    case Op::Add:
        return binary("+");
    case Op::Sub:
        return binary("-");
    case Op::Mul:
        return binary("*");
    case Op::Div:
        return fmt::format("quotient({}, {})", operand(0), operand(1));
    case Op::Mod:
        return fmt::format("remainder({}, {})", operand(0), operand(1));
    case Op::Neg:
        return fmt::format("(-{})", operand(0));
    case Op::Min:
        return fmt::format("std::min<std::int64_t>({}, {})", operand(0), operand(1));
    case Op::Max:
        return fmt::format("std::max<std::int64_t>({}, {})", operand(0), operand(1));
    case Op::CeilDiv:
        return fmt::format("ceil_div({}, {})", operand(0), operand(1));
    case Op::Pow2Ceil:
        return fmt::format("pow2_ceil({})", operand(0));
    }
    return "0";
}

std::string emitExtents(const std::vector<PlanExprPtr>& extents)
{
    std::vector<std::string> texts;
    for (const PlanExprPtr& extent : extents)
        texts.push_back(emit(*extent));
    return fmt::format("{{{}}}", fmt::join(texts, ", "));
}

/// Host code that builds a format of the matrix `a`, or of a part.
std::string emitFormat(const PlanFormat& format)
{
    const std::string& kind = format.spec.kind;
    if (kind == "csr")
        return format.name == "csr" ? std::string()
                                    : fmt::format("    const CsrArrays f_{}({});\n", format.name,
                                                  format.part.empty() ? "a" : "f_" + format.part + ".csr()");
    const std::string source = format.part.empty() ? "a" : "f_" + format.part + ".csr()";
    // Parameters in the order of the functions of export/conversion*.h.
    std::string arguments = source;
    if (kind == "hyb" && format.spec.parameters.count("quantile"))
        arguments += fmt::format(", hyb_width({}, {})", source, format.spec.parameters.at("quantile"));
    else {
        for (const char* name : {"slice", "sigma", "width", "block", "items", "nnz", "rows"}) {
            const auto found = format.spec.parameters.find(name);
            if (found != format.spec.parameters.end())
                arguments += fmt::format(", {}", found->second);
        }
    }
    std::string text = fmt::format("    {}auto f_{} = build_{}({});\n", format.part.empty() ? "const " : "",
                                   format.name, kind, arguments);
    if (format.part.empty())
        return text;
    // Formats that name rows name those of the matrix.
    const char* rows = kind == "coo" || kind == "csc"                                            ? "row"
                       : kind == "hyb"                                                           ? "coo_row"
                       : kind == "sell" || kind == "sell16" || kind == "order" || kind == "csr5" ? "row_ids"
                                                                                                 : nullptr;
    if (rows)
        text += fmt::format("    rename_rows(f_{}.{}, f_{});\n", format.name, rows, format.part);
    return text;
}

} // namespace

Result<std::string> bundlePlanSource(const Plan& plan)
{
    std::string body;
    for (const PlanConst& constant : plan.consts)
        body += fmt::format("    [[maybe_unused]] const std::int64_t n_{} = {};\n", constant.name,
                            emit(*constant.value));
    for (const PlanPart& part : plan.parts)
        body += fmt::format("    const Part f_{} = build_part(a, {}, {});\n", part.name, part.low,
                            part.high ? *part.high : -1);
    for (const PlanFormat& format : plan.formats)
        body += emitFormat(format);
    if (plan.zeroOutput)
        body += "    plan.zero_output(4 * n_rows * dense_cols);\n";

    // Arrays in the order of their first use.
    std::set<std::string> known = {"x", "B", "y", "C"};
    for (const PlanCall& call : plan.calls) {
        for (const PlanArgument& argument : call.arguments) {
            if (argument.array.empty() || !known.insert(argument.array).second)
                continue;
            std::string name = argument.array;
            std::replace(name.begin(), name.end(), '.', '_');
            const auto buffer = std::find_if(plan.buffers.begin(), plan.buffers.end(),
                                             [&](const PlanBuffer& b) { return b.name == argument.array; });
            if (buffer != plan.buffers.end())
                body += fmt::format("    const Argument a_{} = plan.scratch({}, {}, {});\n", name,
                                    emit(*buffer->count), sizeOf(buffer->type), buffer->zero);
            else
                body += fmt::format("    const Argument a_{} = plan.upload(f_{});\n", name, argument.array);
        }
    }
    for (const PlanBuffer& buffer : plan.buffers) {
        if (known.count(buffer.name) == 0)
            body += fmt::format("    Plan::require(\"{}\", {});\n", buffer.name, emit(*buffer.count));
    }
    const std::vector<std::string> kernels = kernelNames(plan);
    for (const bool prepare : {true, false}) {
        for (const PlanCall& call : plan.calls) {
            if (call.prepare != prepare)
                continue;
            std::vector<std::string> arguments;
            for (const PlanArgument& argument : call.arguments) {
                std::string name = argument.array;
                std::replace(name.begin(), name.end(), '.', '_');
                if (name == "x" || name == "B")
                    arguments.push_back("Plan::input()");
                else if (name == "y" || name == "C")
                    arguments.push_back("Plan::output()");
                else
                    arguments.push_back(name.empty() ? fmt::format("Plan::number({})", emit(*argument.value))
                                                     : "a_" + name);
            }
            const auto index = std::find(kernels.begin(), kernels.end(), call.kernel) - kernels.begin();
            body += fmt::format("    plan.{}(sparserl_kernel_{}(), {}, {}, {},\n                {{{}}});\n",
                                prepare ? "prepare" : "launch", index, emitExtents(call.grid),
                                emitExtents(call.block), call.sharedBytes ? emit(*call.sharedBytes) : "0",
                                fmt::join(arguments, ", "));
        }
    }

    std::string text = "// SPDX-License-Identifier: Apache-2.0\n// The plan of program.cu as host code.\n"
                       "#include \"runtime.h\"\n\nextern \"C\" {\n";
    for (std::size_t i = 0; i < kernels.size(); ++i)
        text += fmt::format("const void* sparserl_kernel_{}(void); // {}\n", i, kernels[i]);
    text +=
        "}\n\nnamespace sparserl_bundle {\n\n"
        "void build_plan(Plan& plan, const Csr& a, [[maybe_unused]] std::int64_t dense_cols)\n{\n"
        "    const CsrArrays f_csr(a);\n"
        "    [[maybe_unused]] const std::int64_t n_rows = a.rows, n_cols = a.cols, n_nnz = a.nnz();\n"
        "    [[maybe_unused]] const std::int64_t n_max_length = a.max_length();\n"
        "    [[maybe_unused]] const std::int64_t n_mean_length = n_rows > 0 ? n_nnz / n_rows : 0;\n"
        "    [[maybe_unused]] const std::int64_t n_sm_count = Plan::sm_count(), n_dense_cols = dense_cols;\n";
    return text + body + "}\n\n} // namespace sparserl_bundle\n";
}

std::string bundleKernelSource(const KernelProgram& program)
{
    std::string text = program.code;
    if (text.empty() || text.back() != '\n')
        text += '\n';
    text += "\n// For plan.cpp.\n";
    for (const PlanConst& constant : program.plan.consts)
        text += fmt::format("#undef {}\n", constant.name);
    const std::vector<std::string> kernels = kernelNames(program.plan);
    for (std::size_t i = 0; i < kernels.size(); ++i)
        text +=
            fmt::format("extern \"C\" const void* sparserl_kernel_{}(void) {{ return (const void*){}; }}\n",
                        i, kernels[i]);
    return text;
}

} // namespace sparserl

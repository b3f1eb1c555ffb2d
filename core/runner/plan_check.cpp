// SPDX-License-Identifier: Apache-2.0
#include "runner/plan_check.h"

#include "kernel/parameters.h"

namespace sparserl {

namespace {

std::string typeName(const ptx::Param& param)
{
    if (param.array)
        return {};
    using ptx::Type;
    const char kind = ptx::isFloat(param.type)                            ? 'f'
                      : ptx::isSigned(param.type)                         ? 's'
                      : param.type >= Type::U8 && param.type <= Type::U64 ? 'u'
                                                                          : 'b';
    return kind + std::to_string(8 * ptx::bytesOf(param.type));
}

} // namespace

std::optional<BindFailure> checkCalls(const BoundPlan& plan, const ptx::Module& module)
{
    for (const auto* calls : {&plan.prepares, &plan.launches})
        for (const auto& call : *calls) {
            const auto* function = module.find(call.kernel);
            if (!function || !function->entry)
                return BindFailure{BindFailure::Kind::PlanError, call.line,
                                   "the program has no kernel '" + call.kernel + "'"};
            std::vector<KernelParameter> parameters;
            for (const auto& p : function->params)
                parameters.push_back({p.bytes, typeName(p), p.name});
            if (auto failure = checkParameters(plan, call, parameters))
                return failure;
        }
    return std::nullopt;
}

} // namespace sparserl

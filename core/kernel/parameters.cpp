// SPDX-License-Identifier: Apache-2.0
#include "kernel/parameters.h"

#include <bit>
#include <fmt/format.h>

namespace sparserl {

namespace {

bool isFloating(const KernelParameter& parameter)
{
    return !parameter.type.empty() && parameter.type[0] == 'f';
}

std::string shownArgument(const BoundPlan& plan, const BoundArgument& argument)
{
    if (const auto* buffer = std::get_if<BufferRef>(&argument))
        return fmt::format("the array {}", plan.buffers[static_cast<std::size_t>(buffer->index)].name);
    if (const auto* real = std::get_if<float>(&argument))
        return fmt::format("the real number {}", *real);
    if (const auto* factor = std::get_if<FactorRef>(&argument))
        return std::string(nameOf(factor->factor));
    return fmt::format("the number {}", std::get<std::int64_t>(argument));
}

std::string shownParameter(std::size_t position, const KernelParameter& parameter)
{
    std::string text = fmt::format("parameter {}", position + 1);
    if (!parameter.name.empty())
        text += fmt::format(" '{}'", parameter.name);
    return text;
}

} // namespace

std::optional<BindFailure> checkParameters(const BoundPlan& plan, const BoundCall& call,
                                           std::span<const KernelParameter> parameters)
{
    const auto refuse = [&](std::string reason) {
        return BindFailure{BindFailure::Kind::PlanError, call.line, std::move(reason)};
    };
    if (call.arguments.size() != parameters.size())
        return refuse(fmt::format("{} has {} parameters, but the plan gives {} arguments", call.kernel,
                                  parameters.size(), call.arguments.size()));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const KernelParameter& parameter = parameters[i];
        const BoundArgument& argument = call.arguments[i];
        const std::string where = fmt::format("{} of {}", shownParameter(i, parameter), call.kernel);
        if (std::holds_alternative<BufferRef>(argument)) {
            if (parameter.bytes != 8 || isFloating(parameter))
                return refuse(fmt::format("{} is no pointer, but the plan passes {}", where,
                                          shownArgument(plan, argument)));
            continue;
        }
        if (std::holds_alternative<float>(argument)) {
            // A structure of four bytes has no type, and could hold one.
            if (parameter.bytes != sizeof(float) || (!parameter.type.empty() && parameter.type != "f32"))
                return refuse(fmt::format("{} is no float, but the plan passes {}", where,
                                          shownArgument(plan, argument)));
            continue;
        }
        if (const auto* factor = std::get_if<FactorRef>(&argument)) {
            const bool wide = factor->type == ElementType::F64;
            if (parameter.bytes != static_cast<std::int64_t>(sizeOf(factor->type)) ||
                (!parameter.type.empty() && parameter.type != nameOf(factor->type)))
                return refuse(fmt::format("{} is no {}, but the plan passes {}", where,
                                          wide ? "double" : "float", shownArgument(plan, argument)));
            continue;
        }
        if (isFloating(parameter) || (parameter.bytes != 4 && parameter.bytes != 8))
            return refuse(fmt::format("{} is no 4- or 8-byte integer, but the plan passes {}", where,
                                      shownArgument(plan, argument)));
        // NVRTC's PTX does not tell int from unsigned: what fits into 32 bits is held, where it does,
        // into 31.
        const bool isSigned = !parameter.type.empty() && parameter.type[0] == 's';
        if (const std::int64_t value = std::get<std::int64_t>(argument);
            value < 0 || (parameter.bytes == 4 && value > (isSigned ? 0x7fffffffLL : 0xffffffffLL)))
            return refuse(
                fmt::format("{} has 4 bytes and cannot hold {}", where, std::get<std::int64_t>(argument)));
    }
    return std::nullopt;
}

Result<std::vector<std::uint64_t>> parameterWords(const BoundPlan& plan, const BoundCall& call,
                                                  std::span<const std::int64_t> bytes,
                                                  const std::function<std::uint64_t(int)>& address,
                                                  const CallFactors& factors)
{
    if (call.arguments.size() != bytes.size())
        return fail(fmt::format("'{}' takes {} arguments, the plan gives {}", call.kernel, bytes.size(),
                                call.arguments.size()));
    std::vector<std::uint64_t> words(bytes.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
        const BoundArgument& argument = call.arguments[i];
        const std::int64_t size = bytes[i];
        if (const auto* buffer = std::get_if<BufferRef>(&argument)) {
            if (size != 8 || buffer->index < 0 || buffer->index >= static_cast<int>(plan.buffers.size()))
                return fail(fmt::format("argument {} of '{}' is not an array", i + 1, call.kernel));
            words[i] = address(buffer->index);
            continue;
        }
        if (const auto* real = std::get_if<float>(&argument)) {
            if (size != sizeof(float))
                return fail(fmt::format("argument {} of '{}' has {} bytes; real numbers have 4", i + 1,
                                        call.kernel, size));
            words[i] = std::bit_cast<std::uint32_t>(*real);
            continue;
        }
        if (const auto* factor = std::get_if<FactorRef>(&argument)) {
            if (size != static_cast<std::int64_t>(sizeOf(factor->type)))
                return fail(fmt::format("argument {} of '{}' has {} bytes; {} has {}", i + 1, call.kernel,
                                        size, nameOf(factor->factor), sizeOf(factor->type)));
            const double value = factors.of(factor->factor);
            words[i] = factor->type == ElementType::F64
                           ? std::bit_cast<std::uint64_t>(value)
                           : std::bit_cast<std::uint32_t>(static_cast<float>(value));
            continue;
        }
        if (size != 4 && size != 8)
            return fail(fmt::format("argument {} of '{}' has {} bytes; integers have 4 or 8", i + 1,
                                    call.kernel, size));
        words[i] = static_cast<std::uint64_t>(std::get<std::int64_t>(argument));
        if (size == 4 && words[i] > 0xffffffffu)
            return fail(fmt::format("argument {} of '{}' has 4 bytes and cannot hold {}", i + 1, call.kernel,
                                    words[i]));
    }
    return words;
}

} // namespace sparserl

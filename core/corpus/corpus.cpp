// SPDX-License-Identifier: Apache-2.0
#include "corpus/corpus.h"

#include "base/rng.h"
#include "corpus/family.h"
#include "corpus/family_parameters.h"
#include "corpus/grammar.h"
#include "machine/shared_memory.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

std::string knownFamilies()
{
    std::vector<std::string> ids;
    for (const KernelFamily& one : kernelFamilies()) {
        if (one.write)
            ids.push_back(one.family.id);
    }
    return fmt::format("{}", fmt::join(ids, ", "));
}

/// Index into `values`; the first (the common choice) twice as likely as each other one.
std::size_t drawIndex(std::size_t values, Rng& rng)
{
    const std::uint64_t k = rng.below(values + 1);
    return k == values ? 0 : static_cast<std::size_t>(k);
}

} // namespace

bool fitsShared(const KernelFamily& family, const FamilyParameters& complete, ElementType type)
{
    return !family.sharedBytes ||
           family.sharedBytes(complete, static_cast<std::int64_t>(sizeOf(type))) <= sharedBytesOfEveryDevice;
}

std::string parametersJson(const FamilyParameters& parameters)
{
    std::vector<std::string> members;
    for (const auto& [name, value] : parameters)
        members.push_back(fmt::format("\"{}\":{}", name, value));
    return fmt::format("{{{}}}", fmt::join(members, ","));
}

Result<DerivedProgram> derive(std::string_view family, const FamilyParameters& parameters, const Style& style,
                              bool withPlan, ElementType type)
{
    const KernelFamily* entry = findKernelFamily(family);
    if (!entry || !entry->write)
        return fail(fmt::format("there is no kernel family '{}'", family),
                    "choose one of " + knownFamilies());
    SPARSERL_TRY(auto complete, completeParameters(entry->family, parameters));
    if (!fitsShared(*entry, complete, type))
        return fail(fmt::format("family {} with {} needs more than {} bytes of shared memory in {}",
                                entry->family.id, parametersJson(complete), sharedBytesOfEveryDevice,
                                nameOf(type)),
                    "choose smaller parameters");
    Grammar grammar(complete, style, entry->task(), type);
    entry->write(grammar);
    return DerivedProgram{withPlan ? grammar.text() : grammar.codeText(), entry->family.id,
                          std::move(complete)};
}

Style Style::sample(double variety, Rng& rng)
{
    Style style;
    variety = std::clamp(variety, 0.0, 1.0);
    const double half = variety / 2;
    style.seed = rng.next();
    const double naming = rng.uniform();
    if (naming < variety / 3)
        style.naming = Naming::Short;
    else if (naming < variety * 0.55)
        style.naming = Naming::Long;
    else if (naming < variety * 0.55 + std::max(0.0, variety - 0.4))
        style.naming = Naming::Mixed;
    style.literalParameters = rng.chance(half);
    style.guardBlock = rng.chance(half);
    style.whileLoop = rng.chance(half / 2);
    style.readOnlyLoads = rng.chance(half);
    style.restrictPointers = rng.chance(half);
    style.butterfly = rng.chance(half);
    style.bitOperations = rng.chance(half);
    style.fusedCalls = rng.chance(half / 2);
    style.launchBounds = rng.chance(half / 2);
    style.namedEnds = rng.chance(half);
    style.braceOnOwnLine = rng.chance(std::max(0.0, variety - 0.4));
    if (rng.chance(half))
        style.comments = rng.chance(variety * variety) ? 2 : 1;
    style.indent = rng.chance(std::max(0.0, variety - 0.4)) ? 2 : 4;
    if (variety == 0)
        style.seed = 0;
    return style;
}

Result<DerivedProgram> sampleProgram(Task task, const SampleOptions& options, Rng& rng)
{
    std::vector<const Family*> choices;
    for (const std::string& id : options.families) {
        const Family* family = findFamily(id);
        if (!family)
            return fail(fmt::format("there is no kernel family '{}'", id),
                        "choose one of " + knownFamilies());
        choices.push_back(family);
        if (std::none_of(families(task).begin(), families(task).end(),
                         [&](const Family& f) { return f.id == id; }))
            return fail(fmt::format("kernel family {} is not for {}", id, nameOf(task)));
    }
    if (options.families.empty()) {
        for (const Family& family : families(task))
            choices.push_back(&family);
    }
    if (choices.empty())
        return fail(fmt::format("the corpus has no family for {} yet", nameOf(task)));

    constexpr int attempts = 256;
    double variety = options.variety;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const Family& family = *choices[rng.below(choices.size())];
        FamilyParameters parameters;
        // Too long several times: the first values say least.
        const bool plainest = attempt > 8 && rng.chance(0.5);
        for (const FamilyParameter& parameter : family.parameters)
            parameters[parameter.name] =
                parameter.values[plainest ? 0 : drawIndex(parameter.values.size(), rng)];
        const Style style = Style::sample(variety, rng);
        if (!fitsShared(*findKernelFamily(family.id), parameters, options.type))
            continue;
        auto program = derive(family.id, parameters, style, options.withPlan, options.type);
        if (!program || program->text.size() <= options.maxBytes)
            return program;
        variety *= 0.8; // Too long: plainer next time.
    }
    return fail(fmt::format("no program of these families fits into {} bytes", options.maxBytes),
                "allow more bytes or other families");
}

std::string_view codeOf(std::string_view text)
{
    while (text.starts_with("//! ") || text.starts_with("constexpr int ")) {
        const auto end = text.find('\n');
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return text;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/target_context.h"

#include "base/hash.h"
#include "base/rng.h"
#include "evaluation/cases/relatives.h"
#include "matrix/sizes.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace sparserl {

namespace {

constexpr std::size_t drawnKinds = 1; ///< Of special inputs in an evaluation that is not to meet them all.
constexpr std::size_t keptSeeds = 4;  ///< Whose inputs are kept, where they are small.
/// Special inputs of one seed with their references, which a judgement copies twice, and of all kept seeds.
constexpr std::int64_t mostSpecialBytes = std::int64_t(128) << 20, mostKeptBytes = std::int64_t(256) << 20;
constexpr std::int64_t fewestSpecial = 2;
/// Variants of one judgement where it meets them all.
constexpr std::int64_t mostVariantBytes = std::int64_t(96) << 20;
/// The same for siblings, and the most non-zeros, rows and columns times columns of B of calls on them. A few
/// at least are met, but of very large targets.
constexpr std::int64_t mostSiblingBytes = std::int64_t(48) << 20, siblingWork = 6'000'000;
constexpr std::int64_t fewestSiblings = 3, largeTarget = std::int64_t(256) << 20;
/// Non-zeros times columns of all calls in which other values meet other kinds of x.
constexpr std::int64_t pairWork = 6'000'000;

/// Non-zeros, rows and columns times columns of B of all calls on the small relative with other values, and
/// the fewest calls.
constexpr std::int64_t smallWork = 8'000'000, fewestOfSmall = 64;
constexpr int vectorsOfSmall = 3; ///< For values that are not alone.

VariantCase caseOf(const std::shared_ptr<const ContentsVariant>& variant, Input input, std::int64_t columns,
                   bool companion = false)
{
    Reference expected = reference(*variant->matrix.matrix, input.x, columns, input.signs);
    return {variant, std::move(input), std::move(expected), companion};
}

/// Kinds of x that values meet beside those that users of such values have: so many for each kind of values,
/// or one for some of them where that is too much.
struct Companions
{
    std::size_t each = 0, some = 0;
};
Companions affordableCompanions(const Csr& matrix, std::int64_t columns)
{
    const std::int64_t one = (matrix.nnz() + matrix.rows + matrix.cols) * columns;
    const std::int64_t all = pairWork / std::max<std::int64_t>(one, 1),
                       each = std::min<std::int64_t>(all / std::int64_t(valueKindCount), usualCompanions);
    return {static_cast<std::size_t>(each), each > 0 ? 0 : static_cast<std::size_t>(all)};
}

/// x of a call, and of each element of y what it is, what it should be and how near.
std::int64_t bytesOfCall(const Csr& matrix, std::int64_t columns)
{
    const std::int64_t rest = matrix.type == ElementType::F64 ? 8 : 0; // Of the oracle.
    return columns * (matrix.valueBytes() * (std::int64_t(matrix.cols) + matrix.rows) +
                      (16 + rest) * std::int64_t(matrix.rows));
}

/// Seeds that differ by a multiple of this share a variant: making one takes longer than running it.
constexpr std::uint64_t variantSeeds = 4;

} // namespace

std::uint64_t deriveSeed(std::uint64_t secret, std::uint64_t seed, std::string_view purpose)
{
    return seedFrom(std::to_string(secret) + "/" + std::to_string(seed) + "/" + std::string(purpose));
}

Result<Relative> Relative::make(const std::string& key, const Csr& pattern, Rng& rng)
{
    Relative made;
    made.exactValues = ExactValues::make(pattern, rng, ExactValues::Kind::Linear);
    SPARSERL_TRY(auto exact,
                 SharedMatrix::make(key + "/exact", std::make_shared<Csr>(made.exactValues.takeMatrix())));
    made.exact = std::move(exact);
    made.scaling = Scaling::make(pattern, rng);
    auto wide =
        SharedMatrix::make(key + "/wide", std::make_shared<Csr>(withWideValues(pattern, made.scaling, rng)));
    if (!wide)
        return fail(wide.error());
    made.wide = std::move(*wide);
    made.range = InputRange::of(pattern);
    auto own = SharedMatrix::make(key + "/own", std::make_shared<Csr>(pattern));
    if (!own)
        return fail(own.error());
    made.own = std::move(*own);
    return made;
}

Result<std::shared_ptr<TargetContext>> TargetContext::make(const Target& target, std::uint64_t secret,
                                                           bool everyKind)
{
    const ElementType type = target.id.variant.type;
    const auto matrix = target.matrix->type == type
                            ? target.matrix
                            : std::make_shared<const Csr>(inType(*target.matrix, type));
    const std::string digest = digestFor(target.id);
    std::shared_ptr<TargetContext> context(new TargetContext);
    context->m_digest = digest;
    context->m_secret = secret;
    context->m_everyKind = everyKind;
    SPARSERL_CHECK(context->share(context->m_own, "", matrix));
    Rng rng(deriveSeed(secret, 0, "values " + digest));
    context->m_exactValues = ExactValues::make(*matrix, rng);
    SPARSERL_CHECK(context->share(context->m_exact, "/exact",
                                  std::make_shared<Csr>(context->m_exactValues.takeMatrix())));
    context->m_scaling = Scaling::make(*matrix, rng);
    context->m_wideValues = rng;
    // What follows is drawn after them, whether they are kept or not.
    auto wide = std::make_shared<Csr>(withWideValues(*matrix, context->m_scaling, rng));
    if (everyKind) {
        SPARSERL_CHECK(context->share(context->m_wide, "/wide", wide));
    }
    wide.reset();
    context->m_range = InputRange::of(*matrix);
    Rng timedValues(deriveSeed(secret, 0, "timed values " + digest));
    SPARSERL_CHECK(context->share(context->m_timed, "/timed",
                                  std::make_shared<Csr>(withTimedValues(*matrix, timedValues))));
    context->m_timedRange = InputRange::of(*context->m_timed.matrix);
    SPARSERL_TRY(auto relative,
                 Relative::make(digest + "/relative",
                                smallRelative(*matrix, deriveSeed(secret, 0, "relative " + digest)), rng));
    context->m_relative = std::move(relative);
    context->m_sizes = allSizesOf(*matrix);
    return context;
}

std::string TargetContext::digestFor(const TargetId& id)
{
    TargetId alike = id;
    alike.variant.columns = 1;
    return alike.key();
}

Status TargetContext::share(SharedMatrix& place, const char* kind, std::shared_ptr<const Csr> csr)
{
    SPARSERL_TRY(auto shared, SharedMatrix::make(m_digest + kind, std::move(csr)));
    m_bytes += 2 * shared.matrix->bytes();
    place = std::move(shared);
    return {};
}

Result<SharedMatrix> TargetContext::wide()
{
    if (!m_wide.matrix) {
        Rng rng = m_wideValues;
        SPARSERL_CHECK(
            share(m_wide, "/wide", std::make_shared<Csr>(withWideValues(*m_own.matrix, m_scaling, rng))));
    }
    return m_wide;
}

Result<std::shared_ptr<const LargeRelative>> TargetContext::largeRelative(std::int64_t columns)
{
    const std::int64_t entries = largeRelativeEntries(columns);
    auto& kept = m_largeRelatives[entries];
    if (kept)
        return kept;
    const std::string purpose = "large relative " + std::to_string(entries) + " ";
    const Csr pattern =
        sparserl::largeRelative(*m_own.matrix, deriveSeed(m_secret, 0, purpose + m_digest), entries);
    Rng rng(deriveSeed(m_secret, 1, purpose + m_digest));
    auto made = std::make_shared<LargeRelative>();
    made->exactValues = ExactValues::make(pattern, rng);
    SPARSERL_TRY(auto shared, SharedMatrix::make(m_digest + "/large-relative/" + std::to_string(entries),
                                                 std::make_shared<Csr>(made->exactValues.takeMatrix())));
    made->exact = std::move(shared);
    made->range = InputRange::of(pattern);
    auto own = SharedMatrix::make(m_digest + "/large-relative-own/" + std::to_string(entries),
                                  std::make_shared<Csr>(pattern));
    if (!own)
        return fail(own.error());
    made->own = std::move(*own);
    m_bytes += 4 * made->exact.matrix->bytes();
    kept = std::move(made);
    return kept;
}

std::shared_ptr<const EvaluationInputs> TargetContext::inputs(std::uint64_t seed, std::int64_t columns)
{
    const std::pair key{seed, columns};
    if (const auto it = m_inputs.find(key); it != m_inputs.end())
        return it->second;
    const Csr& matrix = *m_own.matrix;
    const std::int64_t one = bytesOfCall(matrix, columns);
    const std::int64_t fits = std::max(fewestSpecial, mostSpecialBytes / std::max<std::int64_t>(one, 1));
    const std::int64_t kept =
        mostKeptBytes /
        std::max<std::int64_t>(one * (m_everyKind ? std::min<std::int64_t>(fits, 100) : 5), 1);
    if (m_inputs.size() >= static_cast<std::size_t>(std::clamp<std::int64_t>(kept, 1, keptSeeds)))
        m_inputs.clear();
    Rng rng(deriveSeed(m_secret, seed, "inputs " + m_digest));
    auto made = std::make_shared<EvaluationInputs>();
    made->exact = exactVector(columns, rng);
    made->exactReference = reference(*m_exact.matrix, made->exact, columns);
    made->wide = wideVector(columns, rng);
    if (m_everyKind) // Else nobody runs it.
        made->wideReference = reference(*m_wide.matrix, made->wide, columns);
    // The same x in both, but for a power of two where the sizes of values ask for one: nothing but the
    // values of A may tell these calls apart.
    Rng ofTimed(rng.next()), ofFirst = ofTimed;
    Input first = timedInput(m_range, columns, ofFirst);
    made->first = std::move(first.x);
    made->firstKind = first.kind;
    made->firstReference = reference(matrix, made->first, columns);
    made->timed = timedInput(m_timedRange, columns, ofTimed);
    made->timedReference = reference(*m_timed.matrix, made->timed.x, columns);
    // One kind by lot and another one for every check, or all.
    const auto kinds = specialKinds(columns, rng);
    const std::size_t special = m_everyKind ? 0 : drawnKinds;
    const auto referenceOf = [&](const Csr& of, const Input& input) {
        return reference(of, input.x, columns, input.signs);
    };
    if (m_everyKind)
        made->special = everySpecialInput(m_range, columns, rng, static_cast<std::size_t>(fits));
    for (std::size_t i = 0; i < special; ++i)
        made->special.push_back(makeInput(kinds[i], m_range, columns, rng));
    for (const Input& input : made->special)
        made->specialReferences.push_back(referenceOf(matrix, input));
    made->checked = rng.next() & 1 ? timedInput(m_range, columns, rng)
                                   : makeInput(kinds[special % kinds.size()], m_range, columns, rng);
    made->checkedReference = referenceOf(matrix, made->checked);
    m_inputs[key] = made;
    return made;
}

Status TargetContext::makeVariants(const std::vector<std::size_t>& indices)
{
    std::vector<std::size_t> missing;
    for (const std::size_t index : indices)
        if (!m_variants.contains(index))
            missing.push_back(index);
    SPARSERL_TRY(const auto made,
                 sparserl::makeVariants(m_digest, *m_own.matrix, missing, [this](std::size_t index) {
                     return deriveSeed(m_secret, index, "variant " + m_digest);
                 }));
    for (std::size_t i = 0; i < made.size(); ++i) {
        m_bytes += 2 * made[i]->matrix.matrix->bytes();
        m_variants[missing[i]] = made[i];
    }
    return {};
}

Result<std::shared_ptr<const TargetContext::VariantCases>>
TargetContext::variants(std::uint64_t seed, std::int64_t columns, bool withCompanions)
{
    const std::tuple key{seed, columns, withCompanions};
    if (const auto it = m_variantCases.find(key); it != m_variantCases.end())
        return it->second;
    if (m_variantCases.size() >= keptSeeds)
        m_variantCases.clear();
    // Where every kind is met, a matrix too large for all variants keeps to the same ones.
    Rng lots(deriveSeed(m_secret, m_everyKind ? 0 : seed % variantSeeds, "variants " + m_digest));
    Rng rng(deriveSeed(m_secret, seed, "variant inputs " + m_digest));
    auto made = std::make_shared<VariantCases>();
    const Csr& own = *m_own.matrix;
    const std::int64_t bytes = own.bytes() + bytesOfCall(own, columns);
    Companions companions = m_everyKind && withCompanions ? affordableCompanions(own, columns) : Companions{};
    const auto indices = drawVariants(m_everyKind, bytes, mostVariantBytes, lots);
    SPARSERL_CHECK(makeVariants(indices));
    for (const std::size_t index : indices) {
        const auto& variant = m_variants[index];
        const auto add = [&](std::vector<Input> inputs, bool companion) {
            for (Input& input : inputs)
                made->push_back(caseOf(variant, std::move(input), columns, companion));
        };
        add(variantInputs(*variant, columns, m_everyKind, rng), false);
        auto further = companionInputs(*variant, columns, companions.some > 0 ? 1 : companions.each, rng);
        companions.some -= std::min(companions.some, further.size());
        add(std::move(further), true);
    }
    SPARSERL_TRY(const auto others, siblings(m_everyKind ? 0 : seed % variantSeeds, columns));
    for (const auto& variant : others)
        made->push_back(caseOf(variant, timedInput(variant->range, columns, rng), columns));
    m_variantCases[key] = made;
    return std::shared_ptr<const VariantCases>(std::move(made));
}

Result<TargetContext::Variants> TargetContext::siblings(std::uint64_t lot, std::int64_t columns)
{
    const std::pair key{lot, columns};
    if (const auto kept = m_siblings.find(key); kept != m_siblings.end())
        return kept->second;
    const Csr& own = *m_own.matrix;
    const std::int64_t fits =
        std::min(mostSiblingBytes / std::max<std::int64_t>(own.bytes(), 1),
                 siblingWork / std::max<std::int64_t>((own.nnz() + own.rows + own.cols) * columns, 1));
    const std::int64_t fewest = own.bytes() <= largeTarget ? fewestSiblings : 1;
    const auto most =
        m_everyKind ? static_cast<std::size_t>(std::clamp<std::int64_t>(fits, fewest, siblingKinds.size()))
                    : 1;
    // Runners know a file by its name, and how many are in it depends on the columns.
    const std::string file = fmt::format("{}/siblings {} of {}", m_digest, lot, most);
    SPARSERL_TRY(m_siblings[key], makeSiblings(file, own, m_everyKind, most,
                                               Rng(deriveSeed(m_secret, lot, "siblings " + m_digest))));
    for (const auto& one : m_siblings[key])
        m_bytes += 2 * one->matrix.matrix->bytes();
    return m_siblings[key];
}

Result<std::shared_ptr<const TargetContext::VariantCases>> TargetContext::smallVariants(std::int64_t columns)
{
    auto& kept = m_smallVariants[columns];
    if (kept)
        return kept;
    const Csr& pattern = *m_relative.own.matrix;
    Rng rng(deriveSeed(m_secret, 0, "small variants " + std::to_string(columns) + " " + m_digest));
    const std::int64_t one = (pattern.nnz() + pattern.rows + pattern.cols) * columns;
    const auto most =
        static_cast<std::size_t>(std::max(fewestOfSmall, smallWork / std::max<std::int64_t>(one, 1)));
    auto made = std::make_shared<VariantCases>();
    SPARSERL_TRY(const auto foreign,
                 makeForeignVariants(m_relative.own.key, pattern, most / 2,
                                     Rng(deriveSeed(m_secret, 0, "foreign " + m_relative.own.key))));
    for (const auto& variant : foreign)
        made->push_back(caseOf(variant, variantInputs(*variant, columns, false, rng).front(), columns));
    std::vector<std::size_t> indices(targetVariantCount());
    std::iota(indices.begin(), indices.end(), std::size_t(0));
    rng.shuffle(indices);
    indices.resize(std::min(indices.size(), most / 2));
    // Runners know a matrix by its key: its values depend on nothing else.
    SPARSERL_TRY(const auto others,
                 sparserl::makeVariants(m_relative.own.key, pattern, indices, [&](std::size_t index) {
                     return deriveSeed(m_secret, index, m_relative.own.key);
                 }));
    for (const auto& variant : others)
        for (int i = 0; i < vectorsOfSmall; ++i)
            made->push_back(
                caseOf(variant, makeInput(InputKind::Sparse, variant->range, columns, rng, Disguise::Never),
                       columns));
    kept = std::move(made);
    return kept;
}

Result<std::shared_ptr<const TargetContext::VariantCases>> TargetContext::largeVariants(std::int64_t columns)
{
    auto& kept = m_largeVariants[columns];
    if (kept)
        return kept;
    SPARSERL_TRY(const auto large, largeRelative(columns));
    const Csr& pattern = *large->own.matrix;
    Rng rng(deriveSeed(m_secret, 0, "large variants " + std::to_string(columns) + " " + m_digest));
    auto made = std::make_shared<VariantCases>();
    // Runners know a matrix by its key: its values depend on nothing else.
    SPARSERL_TRY(
        const auto variants,
        sparserl::makeVariants(
            large->own.key, pattern,
            drawVariants(true, pattern.bytes() + bytesOfCall(pattern, columns), mostVariantBytes, rng),
            [&](std::size_t index) { return deriveSeed(m_secret, index, large->own.key); }));
    for (const auto& variant : variants) {
        auto inputs = variantInputs(*variant, columns, m_everyKind, rng);
        Input& input = inputs[rng.below(inputs.size())];
        made->push_back(caseOf(variant, std::move(input), columns));
    }
    kept = std::move(made);
    return kept;
}

} // namespace sparserl

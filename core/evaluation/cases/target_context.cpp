// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/target_context.h"

#include "base/hash.h"
#include "base/rng.h"
#include "evaluation/cases/inputs.h"
#include "evaluation/cases/relatives.h"

#include <algorithm>

namespace sparserl {

std::uint64_t deriveSeed(std::uint64_t secret, std::uint64_t seed, std::string_view purpose)
{
    return seedFrom(std::to_string(secret) + "/" + std::to_string(seed) + "/" + std::string(purpose));
}

Result<SharedMatrix> SharedMatrix::make(std::string key, std::shared_ptr<const Csr> matrix)
{
    SPARSERL_TRY(auto buffer, shareMatrix(*matrix));
    return SharedMatrix{std::move(key), std::move(matrix), std::make_shared<SharedBuffer>(std::move(buffer))};
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
    return made;
}

Result<std::shared_ptr<TargetContext>> TargetContext::make(const Target& target, std::uint64_t secret)
{
    const auto& matrix = target.matrix;
    const std::string& digest = target.id.digest;
    std::shared_ptr<TargetContext> context(new TargetContext);
    context->m_digest = digest;
    context->m_secret = secret;
    const auto share = [&](SharedMatrix& place, const char* kind, std::shared_ptr<const Csr> csr) -> Status {
        SPARSERL_TRY(auto shared, SharedMatrix::make(digest + kind, std::move(csr)));
        context->m_bytes += 2 * shared.matrix->bytes();
        place = std::move(shared);
        return {};
    };
    SPARSERL_CHECK(share(context->m_own, "", matrix));
    Rng rng(deriveSeed(secret, 0, "values " + digest));
    context->m_exactValues = ExactValues::make(*matrix, rng);
    if (auto done =
            share(context->m_exact, "/exact", std::make_shared<Csr>(context->m_exactValues.takeMatrix()));
        !done)
        return fail(done.error());
    context->m_scaling = Scaling::make(*matrix, rng);
    SPARSERL_CHECK(share(context->m_wide, "/wide",
                         std::make_shared<Csr>(withWideValues(*matrix, context->m_scaling, rng))));
    SPARSERL_TRY(auto relative,
                 Relative::make(digest + "/relative",
                                smallRelative(*matrix, deriveSeed(secret, 0, "relative " + digest)), rng));
    context->m_relative = std::move(relative);
    std::vector<bool> used(static_cast<std::size_t>(matrix->cols));
    for (const std::int32_t column : matrix->col)
        used[static_cast<std::size_t>(column)] = true;
    context->m_usedColumns = std::count(used.begin(), used.end(), true);
    return context;
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
    m_bytes += 2 * made->exact.matrix->bytes();
    kept = std::move(made);
    return kept;
}

std::shared_ptr<const EvaluationInputs> TargetContext::inputs(std::uint64_t seed, std::int64_t columns)
{
    const std::pair key{seed, columns};
    if (const auto it = m_inputs.find(key); it != m_inputs.end())
        return it->second;
    constexpr std::size_t kept = 4;
    if (m_inputs.size() >= kept)
        m_inputs.clear();
    const Csr& matrix = *m_own.matrix;
    const std::int64_t count = columns * matrix.cols;
    Rng rng(deriveSeed(m_secret, seed, "inputs " + m_digest));
    auto made = std::make_shared<EvaluationInputs>();
    made->exact = exactVector(columns, rng);
    made->exactReference = reference(*m_exact.matrix, made->exact, columns);
    made->wide = wideVector(columns, rng);
    made->wideReference = reference(*m_wide.matrix, made->wide, columns);
    made->first = randomVector(count, rng);
    made->firstReference = reference(matrix, made->first, columns);
    m_inputs[key] = made;
    return made;
}

std::int64_t TargetContext::compulsoryBytes(std::int64_t columns) const
{
    const Csr& matrix = *m_own.matrix;
    return 4 * matrix.nnz() + 4 * columns * (m_usedColumns + matrix.rows);
}

double TargetContext::floorMicroseconds(const DeviceModel& model, std::int64_t columns) const
{
    const auto bytes = static_cast<double>(compulsoryBytes(columns));
    const double gbps = bytes <= static_cast<double>(model.l2Bytes) ? model.l2GBps : model.dramGBps;
    return model.launchMicroseconds + bytes / (1e3 * gbps);
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "evaluation/matrix_context.h"

#include "base/hash.h"
#include "base/rng.h"
#include "evaluation/inputs.h"

#include <algorithm>

namespace sparserl {

std::uint64_t deriveSeed(std::uint64_t secret, std::uint64_t seed, std::string_view purpose)
{
    return seedFrom(std::to_string(secret) + "/" + std::to_string(seed) + "/" + std::string(purpose));
}

Result<SharedMatrix> SharedMatrix::make(std::string key, std::shared_ptr<const Csr> matrix)
{
    auto buffer = shareMatrix(*matrix);
    if (!buffer)
        return fail(buffer.error());
    return SharedMatrix{std::move(key), std::move(matrix),
                        std::make_shared<SharedBuffer>(std::move(*buffer))};
}

Result<std::shared_ptr<MatrixContext>> MatrixContext::make(std::shared_ptr<const Csr> matrix,
                                                           std::string digest, std::uint64_t secret)
{
    std::shared_ptr<MatrixContext> context(new MatrixContext);
    context->m_digest = digest;
    context->m_secret = secret;
    const auto share = [&](SharedMatrix& place, const char* kind, std::shared_ptr<const Csr> csr) -> Status {
        auto shared = SharedMatrix::make(digest + kind, std::move(csr));
        if (!shared)
            return fail(shared.error());
        context->m_bytes += 2 * shared->matrix->bytes();
        place = std::move(*shared);
        return {};
    };
    if (auto done = share(context->m_target, "", matrix); !done)
        return fail(done.error());
    const IntegerRange range = integerRange(*matrix);
    Rng rng(deriveSeed(secret, 0, "values " + digest));
    if (range.matrix > 0) {
        context->m_vectorLimit = range.vector;
        if (auto done = share(context->m_integers, "/integers",
                              std::make_shared<Csr>(withIntegerValues(*matrix, range.matrix, rng)));
            !done)
            return fail(done.error());
    }
    const Csr relative = likeTarget(*matrix, deriveSeed(secret, 0, "relative " + digest));
    if (auto done =
            share(context->m_relativeIntegers, "/relative-integers",
                  std::make_shared<Csr>(withIntegerValues(relative, integerRange(relative).matrix, rng)));
        !done)
        return fail(done.error());
    if (auto done =
            share(context->m_relative, "/relative", std::make_shared<Csr>(withRandomValues(relative, rng)));
        !done)
        return fail(done.error());
    std::vector<bool> used(static_cast<std::size_t>(matrix->cols));
    for (const std::int32_t column : matrix->col)
        used[static_cast<std::size_t>(column)] = true;
    context->m_usedColumns = std::count(used.begin(), used.end(), true);
    return context;
}

std::shared_ptr<const EvaluationInputs> MatrixContext::inputs(std::uint64_t seed, std::int64_t columns)
{
    const std::pair key{seed, columns};
    if (const auto it = m_inputs.find(key); it != m_inputs.end())
        return it->second;
    constexpr std::size_t kept = 4;
    if (m_inputs.size() >= kept)
        m_inputs.clear();
    const Csr& matrix = *m_target.matrix;
    const std::int64_t count = columns * matrix.cols;
    Rng rng(deriveSeed(m_secret, seed, "inputs " + m_digest));
    auto made = std::make_shared<EvaluationInputs>();
    if (!m_integers.key.empty()) {
        made->integers = integerVector(count, m_vectorLimit, rng);
        made->integersReference = reference(*m_integers.matrix, made->integers, columns);
    }
    made->first = randomVector(count, rng);
    made->firstReference = reference(matrix, made->first, columns);
    made->second = randomVector(count, rng);
    made->secondReference = reference(matrix, made->second, columns);
    m_inputs[key] = made;
    return made;
}

std::int64_t MatrixContext::compulsoryBytes(std::int64_t columns) const
{
    const Csr& matrix = *m_target.matrix;
    return 4 * matrix.nnz() + 4 * columns * (m_usedColumns + matrix.rows);
}

double MatrixContext::floorMicroseconds(const DeviceModel& model, std::int64_t columns) const
{
    const auto bytes = static_cast<double>(compulsoryBytes(columns));
    const double gbps = bytes <= static_cast<double>(model.l2Bytes) ? model.l2GBps : model.dramGBps;
    return model.launchMicroseconds + bytes / (1e3 * gbps);
}

} // namespace sparserl

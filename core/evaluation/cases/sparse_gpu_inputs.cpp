// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/sparse_gpu_inputs.h"

#include <algorithm>

namespace sparserl {

namespace {

constexpr std::size_t setsPerMatrix = 4;
constexpr std::size_t ringSize = 8;
constexpr std::size_t mostSpecial = 400; ///< More than there are.
constexpr std::size_t drawnSpecial = 5;  ///< Where not every evaluation meets every kind.
constexpr std::int64_t maxRingBytes = std::int64_t(64) << 20;
/// Sets of matrices not used for longest are forgotten beyond this.
constexpr std::int64_t maxBytes = std::int64_t(2) << 30;

} // namespace

Result<std::shared_ptr<const GpuInputs>> GpuInputSets::make(TargetContext& context, std::int64_t columns,
                                                            const std::string& purpose,
                                                            std::uint64_t number) const
{
    const Csr& matrix = *context.own().matrix;
    const auto count = static_cast<std::uint64_t>(columns * matrix.cols);
    auto made = std::make_shared<GpuInputs>();
    made->key =
        std::string(inputsKeyPrefix) + context.digest() + "/" + std::to_string(columns) + "/" + purpose;
    std::uint64_t bytes = 0;
    const auto room = [&] { return takeRoom(bytes, count, matrix.type); };
    made->exact = room();
    made->first = room();
    made->wide = room();
    const std::int64_t one = matrix.valueBytes() * columns * (matrix.cols + 4 * std::int64_t(matrix.rows));
    const auto fits = static_cast<std::size_t>(maxRingBytes / std::max<std::int64_t>(one, 1));
    for (std::size_t i = 0; i < std::clamp<std::size_t>(fits, 2, ringSize); ++i)
        made->ring.push_back({room()});
    Rng rng(deriveSeed(m_secret, 0, "GPU inputs " + made->key));
    const auto special =
        everySpecialInput(context.range(), columns, rng,
                          std::clamp<std::size_t>(fits, 2, m_everyKind ? mostSpecial : drawnSpecial));
    for (std::size_t i = 0; i < special.size(); ++i)
        made->special.push_back(room());
    SPARSERL_TRY(made->variants, context.variants(number, columns, false));
    for (std::size_t i = 0; i < made->variants->size(); ++i)
        made->variantInputs.push_back(room());
    SPARSERL_TRY(auto buffer, SharedBuffer::create(bytes));
    made->buffer = std::make_shared<SharedBuffer>(std::move(buffer));
    const auto fill = [&](const NumberRange& range, const Numbers& x, const Csr& of,
                          Signs signs = Signs::Random) {
        made->buffer->put(range.at, x);
        return reference(of, x, columns, signs);
    };
    const auto timed = [&](const InputRange& range) { return timedInput(range, columns, rng).x; };
    made->exactReference = fill(made->exact, context.exactVector(columns, rng), *context.exact().matrix);
    made->firstReference = fill(made->first, timed(context.range()), matrix);
    SPARSERL_TRY(const auto wide, context.wide());
    made->wideReference = fill(made->wide, context.wideVector(columns, rng), *wide.matrix);
    for (const auto& ranges : made->ring) // What timed calls leave is compared where they run.
        made->buffer->put(ranges.front().at, timed(context.timedRange()));
    for (std::size_t i = 0; i < special.size(); ++i)
        made->specialReferences.push_back(fill(made->special[i], special[i].x, matrix, special[i].signs));
    for (std::size_t i = 0; i < made->variants->size(); ++i)
        made->buffer->put(made->variantInputs[i].at, (*made->variants)[i].input.x);
    SPARSERL_CHECK(made->buffer->seal());
    made->bytes = static_cast<std::int64_t>(bytes) +
                  4 * matrix.valueBytes() * columns * matrix.rows *
                      static_cast<std::int64_t>(4 + made->special.size() + made->variants->size());
    return made;
}

Result<std::shared_ptr<const GpuInputs>> GpuInputSets::forSeed(TargetContext& matrix, std::int64_t columns,
                                                               std::uint64_t seed)
{
    const std::pair key{matrix.digest(), columns};
    const std::uint64_t number = seed % setsPerMatrix;
    {
        const std::lock_guard lock(m_mutex);
        if (const auto kept = m_sets.find(key); kept != m_sets.end() && kept->second.sets[number]) {
            kept->second.lastUse = ++m_clock;
            return kept->second.sets[number];
        }
    }
    auto made = make(matrix, columns, std::to_string(number), number);
    if (!made)
        return made;
    const std::lock_guard lock(m_mutex);
    auto& entry = m_sets[key];
    entry.lastUse = ++m_clock;
    entry.sets.resize(setsPerMatrix);
    entry.sets[number] = *made;
    std::int64_t bytes = 0;
    for (const auto& [name, sets] : m_sets)
        for (const auto& one : sets.sets)
            bytes += one ? one->bytes : 0;
    if (bytes > maxBytes && m_sets.size() > 1) {
        auto oldest = m_sets.end();
        for (auto it = m_sets.begin(); it != m_sets.end(); ++it)
            if (it->first != key && (oldest == m_sets.end() || it->second.lastUse < oldest->second.lastUse))
                oldest = it;
        m_sets.erase(oldest);
    }
    return *made;
}

Result<std::shared_ptr<const GpuInputs>> GpuInputSets::unused(TargetContext& matrix, std::int64_t columns)
{
    std::uint64_t number = 0;
    {
        const std::lock_guard lock(m_mutex);
        number = m_unused++;
    }
    return make(matrix, columns, "quarantine " + std::to_string(number),
                setsPerMatrix + number); // not those of usual judgements
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "training/work/time_traits.h"

#include "base/rng.h"
#include "corpus/estimate_device.h"
#include "corpus/family.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm_estimate.h"
#include "corpus/spmv_estimate.h"
#include "source/words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>

namespace sparserl {

namespace {

double logOf(double value)
{
    return std::log1p(std::max(0.0, value));
}

std::vector<double> rawTraits(const MatrixFeatures& m)
{
    std::vector<double> traits{logOf(static_cast<double>(m.rows)),
                               logOf(static_cast<double>(m.cols)),
                               logOf(static_cast<double>(m.nnz)),
                               logOf(m.rowMean),
                               logOf(static_cast<double>(m.rowMax)),
                               logOf(m.rowCv),
                               m.rowGini,
                               m.emptyRows,
                               logOf(m.ellRatio),
                               logOf(m.bandwidthMean),
                               m.diagonalFill,
                               logOf(m.windowReuse),
                               logOf(m.columnGap),
                               std::log2(static_cast<double>(std::max<std::int64_t>(1, m.denseColumns)))};
    traits.insert(traits.end(), m.blockFill.begin(), m.blockFill.end());
    return traits;
}

double squaredDistance(const std::vector<double>& a, const std::vector<double>& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

std::size_t nearest(const std::vector<std::vector<double>>& centres, const std::vector<double>& place)
{
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < centres.size(); ++i) {
        if (const double d = squaredDistance(centres[i], place); d < least) {
            least = d;
            best = i;
        }
    }
    return best;
}

double countOf(std::string_view text, std::string_view word)
{
    double count = 0;
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
        ++count;
    return count;
}

/// The whole numbers of a text: sizes of blocks, slices, tiles and unrolled loops stand in it.
std::vector<double> numbersOf(std::string_view text)
{
    std::vector<double> numbers;
    SourceWords words(text);
    while (const auto word = words.next()) {
        const auto isDigit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
        if (!std::all_of(word->text.begin(), word->text.end(), isDigit))
            continue;
        double value = 0;
        for (const char c : word->text)
            value = std::min(1e9, 10 * value + (c - '0'));
        numbers.push_back(value);
    }
    return numbers;
}

/// Microseconds of a family with its first parameters, where it has an estimate for this task.
std::optional<double> microsecondsOf(const std::string& id, const MatrixFeatures& matrix,
                                     const SpmvDevice& device, ElementType type)
{
    const KernelFamily* one = findKernelFamily(id);
    if (one == nullptr)
        return std::nullopt;
    const auto complete = completeParameters(one->family, {});
    if (!complete)
        return std::nullopt;
    double time = 0;
    if (const auto* spmv = std::get_if<SpmvRules>(&one->rules); spmv != nullptr && matrix.denseColumns == 1)
        time = SpmvEstimate(matrix, device, type).microseconds(*spmv, *complete);
    else if (const auto* spmm = std::get_if<SpmmRules>(&one->rules);
             spmm != nullptr && matrix.denseColumns > 1)
        time = SpmmEstimate(matrix, matrix.denseColumns, device, type).microseconds(*spmm, *complete);
    return time > 0 && time < 1e9 ? std::optional(time) : std::nullopt;
}

} // namespace

MatrixSpace::MatrixSpace(const std::vector<MatrixFeatures>& matrices)
{
    const auto size = rawTraits({}).size();
    m_mean.assign(size, 0);
    m_deviation.assign(size, 0);
    const double n = std::max<double>(1, static_cast<double>(matrices.size()));
    for (const auto& matrix : matrices) {
        const auto traits = rawTraits(matrix);
        for (std::size_t i = 0; i < size; ++i)
            m_mean[i] += traits[i] / n;
    }
    for (const auto& matrix : matrices) {
        const auto traits = rawTraits(matrix);
        for (std::size_t i = 0; i < size; ++i)
            m_deviation[i] += (traits[i] - m_mean[i]) * (traits[i] - m_mean[i]) / n;
    }
    for (double& deviation : m_deviation)
        deviation = std::max(std::sqrt(deviation), 1e-3);
}

std::vector<double> MatrixSpace::place(const MatrixFeatures& matrix) const
{
    auto traits = rawTraits(matrix);
    for (std::size_t i = 0; i < traits.size(); ++i)
        traits[i] = (traits[i] - m_mean[i]) / m_deviation[i];
    return traits;
}

std::vector<std::int64_t> nearGroups(const std::vector<std::vector<double>>& places, std::int64_t groups,
                                     std::uint64_t seed)
{
    std::vector<std::int64_t> of(places.size(), 0);
    const auto k = std::min(static_cast<std::size_t>(std::max<std::int64_t>(1, groups)), places.size());
    if (k == 0)
        return of;
    Rng rng(seed);
    std::vector<std::vector<double>> centres{places[rng.below(places.size())]};
    while (centres.size() < k) {
        std::vector<double> far;
        double all = 0;
        for (const auto& place : places) {
            far.push_back(squaredDistance(centres[nearest(centres, place)], place));
            all += far.back();
        }
        double at = rng.uniform() * all;
        std::size_t next = 0;
        while (next + 1 < places.size() && (at >= far[next] || far[next] == 0)) {
            at -= far[next];
            ++next;
        }
        if (all <= 0)
            break; // fewer different places than groups
        centres.push_back(places[next]);
    }
    for (int round = 0; round < 100; ++round) {
        bool moved = false;
        for (std::size_t i = 0; i < places.size(); ++i) {
            const auto best = static_cast<std::int64_t>(nearest(centres, places[i]));
            moved = moved || of[i] != best;
            of[i] = best;
        }
        if (round > 0 && !moved)
            break;
        for (std::size_t c = 0; c < centres.size(); ++c) {
            std::vector<double> sum(centres[c].size(), 0);
            double count = 0;
            for (std::size_t i = 0; i < places.size(); ++i) {
                if (of[i] != static_cast<std::int64_t>(c))
                    continue;
                ++count;
                for (std::size_t d = 0; d < sum.size(); ++d)
                    sum[d] += places[i][d];
            }
            if (count > 0)
                std::transform(sum.begin(), sum.end(), centres[c].begin(),
                               [count](double s) { return s / count; });
        }
    }
    return of;
}

std::vector<double> programTraits(std::string_view text, const VerdictRecord& record)
{
    const ProgramShape shape = shapeOf(text);
    auto numbers = numbersOf(text);
    std::sort(numbers.begin(), numbers.end(), std::greater<>());
    numbers.resize(std::max<std::size_t>(numbers.size(), 4), 1.0);
    double logs = 0;
    for (const double number : numbers)
        logs += std::log2(std::max(1.0, number));
    std::vector<double> traits{
        shape.parts ? 1.0 : 0.0,
        shape.atomics ? 1.0 : 0.0,
        shape.blockWaits ? 1.0 : 0.0,
        shape.lanesAddUp ? 1.0 : 0.0,
        shape.sharedMemory ? 1.0 : 0.0,
        shape.vectorLoads ? 1.0 : 0.0,
        shape.rowPerBlock ? 1.0 : 0.0,
        std::log2(1.0 + static_cast<double>(shape.lanes)) / 2,
        static_cast<double>(shape.formats.size()),
        countOf(text, "//! launch"),
        countOf(text, "//! zero"),
        countOf(text, "for ") + countOf(text, "while "),
        countOf(text, "unroll"),
        countOf(text, "__ldg") > 0 ? 1.0 : 0.0,
        countOf(text, "__ldcs") > 0 ? 1.0 : 0.0,
        logs / 8,
        static_cast<double>(record.registers) / 16,
        logOf(static_cast<double>(record.staticShared + record.dynamicShared)) / 4,
        logOf(static_cast<double>(record.localBytes)) / 4,
    };
    for (std::size_t i = 0; i < 4; ++i)
        traits.push_back(std::log2(std::max(1.0, numbers[i])) / 2);
    return traits;
}

double familyEstimate(const std::string& family, const MatrixFeatures& matrix, const DeviceModel& device,
                      ElementType type)
{
    const auto figures = spmvDevice(device);
    const auto own = microsecondsOf(family, matrix, figures, type);
    const auto reference = microsecondsOf(matrix.denseColumns > 1 ? "M1" : "S3", matrix, figures, type);
    return own && reference ? std::clamp(std::log(*own / *reference), -3.0, 3.0) : 0.0;
}

} // namespace sparserl

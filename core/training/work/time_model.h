// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "training/work/time_traits.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

namespace sparserl {

/// Predicts ln(time / baseline) of programs that were not measured from those that were: ridge regression in
/// the space of a kernel (a Gaussian process; Rasmussen and Williams 2006, algorithm 2.1), alike being
/// programs of the same shape on near matrices. Says how sure it is. Deterministic; the newest 1,024
/// measurements count.
class TimeModel
{
public:
    static constexpr std::size_t most = 1024;
    static constexpr std::size_t least = 16; ///< Measurements before it predicts anything.

    struct Prediction
    {
        double mean = 0;      ///< ln(time / baseline)
        double deviation = 0; ///< Of that: 0.1 is about 10 % of the time.
    };

    void add(TimeTraits traits, double logTime);
    /// Learns from what was added since; predictions are those of before until then.
    void fit();
    bool ready() const { return m_fitted >= least; }
    Prediction predict(const TimeTraits& traits) const;

    /// All it knows, and back: predictions are the same to the last bit.
    nlohmann::json state() const;
    Status restore(const nlohmann::json& state);

private:
    struct Row
    {
        TimeTraits traits;
        double logTime = 0;
    };
    double alike(const TimeTraits& a, const TimeTraits& b, double width) const;
    /// The Cholesky factor of the kernel matrix plus ridge.
    std::vector<double> factor(double width) const;
    void tune();
    void solve();

    std::vector<Row> m_rows; ///< Oldest first.
    double m_width = 1;      ///< How far alike reaches.
    std::size_t m_tunedAt = 0;
    // Of fit().
    std::size_t m_fitted = 0;
    std::vector<double> m_factor, m_weights;
    double m_mean = 0, m_amplitude = 1;
};

} // namespace sparserl

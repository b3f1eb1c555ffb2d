// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "training/work/time_traits.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

namespace sparserl {

/// Predicts ln(time / baseline) of unmeasured programs from measured ones, with the uncertainty, by kernel
/// ridge regression (a Gaussian process; Rasmussen and Williams 2006, algorithm 2.1). Programs of the same
/// shape on similar matrices count as similar. Deterministic; uses the newest 1,024 measurements.
class TimeModel
{
public:
    static constexpr std::size_t most = 1024;
    static constexpr std::size_t least = 16; ///< Minimum number of measurements for a prediction.

    struct Prediction
    {
        double mean = 0;      ///< Predicted ln(time / baseline).
        double deviation = 0; ///< Standard deviation of the mean: 0.1 is about 10 % of the time.
    };

    void add(TimeTraits traits, double logTime);
    /// Fits the model to the added measurements. Until then, predictions do not change.
    void fit();
    bool ready() const { return m_fitted >= least; }
    Prediction predict(const TimeTraits& traits) const;

    /// Returns or restores the state of the model. Predictions of a restored model are bitwise equal.
    nlohmann::json state() const;
    Status restore(const nlohmann::json& state);

private:
    struct Row
    {
        TimeTraits traits;
        double logTime = 0;
    };
    double alike(const TimeTraits& a, const TimeTraits& b, double width) const;
    /// Returns the Cholesky factor of the kernel matrix plus ridge.
    std::vector<double> factor(double width) const;
    void tune();
    void solve();

    std::vector<Row> m_rows; ///< Oldest first.
    double m_width = 1;      ///< Length scale of the similarity.
    std::size_t m_tunedAt = 0;
    // The results of fit().
    std::size_t m_fitted = 0;
    std::vector<double> m_factor, m_weights;
    double m_mean = 0, m_amplitude = 1;
};

} // namespace sparserl

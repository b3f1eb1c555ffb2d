// SPDX-License-Identifier: Apache-2.0
#include "training/work/time_model.h"

#include "base/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace sparserl {

namespace {

/// Of the variance of ln(time): what the traits cannot tell.
constexpr double ridge = 0.01;
constexpr std::array widths{0.35, 0.7, 1.4};
/// Another family is like a program at some distance.
constexpr double otherFamily = 0.35;

double meanSquare(const std::vector<double>& a, const std::vector<double>& b)
{
    double sum = 0;
    const auto n = std::min(a.size(), b.size());
    for (std::size_t i = 0; i < n; ++i)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return n > 0 ? sum / static_cast<double>(n) : 0;
}

/// L y = b for a lower triangle by rows.
std::vector<double> forward(const std::vector<double>& lower, std::vector<double> b)
{
    const auto n = b.size();
    for (std::size_t i = 0; i < n; ++i) {
        double sum = b[i];
        for (std::size_t k = 0; k < i; ++k)
            sum -= lower[i * n + k] * b[k];
        b[i] = sum / lower[i * n + i];
    }
    return b;
}

/// L' x = y.
std::vector<double> backward(const std::vector<double>& lower, std::vector<double> y)
{
    const auto n = y.size();
    for (std::size_t i = n; i-- > 0;) {
        y[i] /= lower[i * n + i];
        for (std::size_t k = 0; k < i; ++k)
            y[k] -= lower[i * n + k] * y[i];
    }
    return y;
}

} // namespace

double TimeModel::alike(const TimeTraits& a, const TimeTraits& b, double width) const
{
    const double square = 2 * width * width;
    const double near = std::exp(-meanSquare(a.matrix, b.matrix) / square) *
                        std::exp(-meanSquare(a.program, b.program) / (0.25 * square)) *
                        (a.family == b.family ? 1 : otherFamily);
    return 0.8 * near + 0.2 * a.estimate * b.estimate;
}

std::vector<double> TimeModel::factor(double width) const
{
    const auto n = m_rows.size();
    std::vector<double> lower(n * n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        double* const own = &lower[i * n];
        for (std::size_t j = 0; j <= i; ++j) {
            const double* const other = &lower[j * n];
            double sum = alike(m_rows[i].traits, m_rows[j].traits, width) + (i == j ? ridge : 0);
            for (std::size_t k = 0; k < j; ++k)
                sum -= own[k] * other[k];
            own[j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / other[j];
        }
    }
    return lower;
}

/// Takes the width under which what was measured is likeliest, its amplitude being free.
void TimeModel::tune()
{
    const auto n = static_cast<double>(m_rows.size());
    std::vector<double> y;
    for (const auto& row : m_rows)
        y.push_back(row.logTime - m_mean);
    double best = std::numeric_limits<double>::infinity();
    for (const double width : widths) {
        const auto lower = factor(width);
        double fit = 0, volume = 0;
        for (const double z : forward(lower, y))
            fit += z * z;
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            volume += std::log(lower[i * m_rows.size() + i]);
        const double loss = 0.5 * n * std::log(std::max(fit, 1e-12) / n) + volume;
        if (loss < best) {
            best = loss;
            m_width = width;
        }
    }
}

void TimeModel::add(TimeTraits traits, double logTime)
{
    m_rows.push_back({std::move(traits), logTime});
}

void TimeModel::fit()
{
    if (m_rows.size() > most)
        m_rows.erase(m_rows.begin(), m_rows.end() - static_cast<std::ptrdiff_t>(most));
    if (m_rows.size() < least)
        return;
    m_mean = 0;
    for (const auto& row : m_rows)
        m_mean += row.logTime / static_cast<double>(m_rows.size());
    if (m_rows.size() >= 2 * m_tunedAt) {
        tune();
        m_tunedAt = m_rows.size();
    }
    solve();
}

void TimeModel::solve()
{
    m_fitted = m_rows.size();
    m_factor = factor(m_width);
    std::vector<double> y;
    for (const auto& row : m_rows)
        y.push_back(row.logTime - m_mean);
    auto half = forward(m_factor, y);
    double fit = 0;
    for (const double z : half)
        fit += z * z;
    m_amplitude = std::sqrt(std::max(fit / static_cast<double>(m_fitted), 1e-8));
    m_weights = backward(m_factor, std::move(half));
}

TimeModel::Prediction TimeModel::predict(const TimeTraits& traits) const
{
    std::vector<double> near;
    Prediction prediction{m_mean, 0};
    for (std::size_t i = 0; i < m_fitted; ++i) {
        near.push_back(alike(traits, m_rows[i].traits, m_width));
        prediction.mean += near.back() * m_weights[i];
    }
    double left = alike(traits, traits, m_width) + ridge;
    for (const double v : forward(m_factor, std::move(near)))
        left -= v * v;
    prediction.deviation = m_amplitude * std::sqrt(std::max(left, 0.0));
    return prediction;
}

nlohmann::json TimeModel::state() const
{
    auto rows = nlohmann::json::array();
    for (const auto& row : m_rows)
        rows.push_back(
            {row.logTime, row.traits.estimate, row.traits.family, row.traits.matrix, row.traits.program});
    return {{"rows", std::move(rows)}, {"width", m_width}, {"tuned_at", m_tunedAt}};
}

Status TimeModel::restore(const nlohmann::json& state)
{
    *this = {};
    try {
        for (const auto& row : state.at("rows")) {
            TimeTraits traits{row.at(3).get<std::vector<double>>(), row.at(4).get<std::vector<double>>(),
                              row.at(2).get<std::string>(), row.at(1).get<double>()};
            m_rows.push_back({std::move(traits), row.at(0).get<double>()});
        }
    } catch (const nlohmann::json::exception& e) {
        return fail(std::string("the model of times cannot be read: ") + e.what(),
                    "Continue from another checkpoint");
    }
    m_width = jsonValue(state, "width", m_width);
    m_tunedAt = jsonValue<std::size_t>(state, "tuned_at", 0);
    fit();
    return {};
}

} // namespace sparserl

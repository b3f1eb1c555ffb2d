// SPDX-License-Identifier: Apache-2.0
#include "plain_solver.h"

#include <algorithm>
#include <vector>

namespace sparserl {

namespace {

template <typename Real>
int iterationsIn(const Csr& a, int columns, double tolerance)
{
    const auto product = [&](const std::vector<Real>& x) {
        std::vector<Real> y(x.size());
        for (int r = 0; r < a.rows; ++r) {
            double sum = 0;
            for (auto i = static_cast<std::size_t>(a.rowPtr[r]);
                 i < static_cast<std::size_t>(a.rowPtr[r + 1]); ++i)
                sum += a.value(i) * x[static_cast<std::size_t>(a.col[i])];
            y[static_cast<std::size_t>(r)] = static_cast<Real>(sum);
        }
        return y;
    };
    const auto dot = [](const std::vector<Real>& x, const std::vector<Real>& y) {
        double sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            sum += double(x[i]) * y[i];
        return sum;
    };
    int most = 0;
    for (int j = 0; j < columns; ++j) {
        std::vector<Real> known(static_cast<std::size_t>(a.rows));
        for (int r = 0; r < a.rows; ++r)
            known[static_cast<std::size_t>(r)] = 1 + static_cast<Real>(r * (j + 1) % 7) / 8;
        std::vector<Real> r = product(known), p = r;
        double rr = dot(r, r);
        const double wanted = tolerance * tolerance * rr;
        int iterations = 0;
        for (; rr > wanted && iterations < a.rows; ++iterations) {
            const std::vector<Real> q = product(p);
            const auto alpha = static_cast<Real>(rr / dot(p, q));
            for (std::size_t i = 0; i < r.size(); ++i)
                r[i] -= alpha * q[i];
            const double next = dot(r, r);
            for (std::size_t i = 0; i < r.size(); ++i)
                p[i] = r[i] + static_cast<Real>(next / rr) * p[i];
            rr = next;
        }
        most = std::max(most, iterations);
    }
    return most;
}

} // namespace

int plainIterations(const Csr& a, int columns)
{
    return a.type == ElementType::F64 ? iterationsIn<double>(a, columns, 1e-10)
                                      : iterationsIn<float>(a, columns, 1e-5);
}

Csr withTwiceTheDiagonal(Csr a)
{
    for (int r = 0; r < a.rows; ++r) {
        for (auto i = static_cast<std::size_t>(a.rowPtr[r]); i < static_cast<std::size_t>(a.rowPtr[r + 1]);
             ++i)
            a.setValue(i, a.value(i) * (a.col[i] == r ? 2 : 1));
    }
    return a;
}

} // namespace sparserl

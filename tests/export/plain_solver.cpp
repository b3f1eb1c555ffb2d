// SPDX-License-Identifier: Apache-2.0
#include "plain_solver.h"

#include <algorithm>
#include <vector>

namespace sparserl {

int plainIterations(const Csr& a, int columns)
{
    const auto product = [&](const std::vector<float>& x) {
        std::vector<float> y(x.size());
        for (int r = 0; r < a.rows; ++r) {
            double sum = 0;
            for (auto i = static_cast<std::size_t>(a.rowPtr[r]);
                 i < static_cast<std::size_t>(a.rowPtr[r + 1]); ++i)
                sum += double(a.val[i]) * x[static_cast<std::size_t>(a.col[i])];
            y[static_cast<std::size_t>(r)] = static_cast<float>(sum);
        }
        return y;
    };
    const auto dot = [](const std::vector<float>& x, const std::vector<float>& y) {
        double sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            sum += double(x[i]) * y[i];
        return sum;
    };
    int most = 0;
    for (int j = 0; j < columns; ++j) {
        std::vector<float> known(static_cast<std::size_t>(a.rows));
        for (int r = 0; r < a.rows; ++r)
            known[static_cast<std::size_t>(r)] = 1.0f + static_cast<float>(r * (j + 1) % 7) / 8;
        std::vector<float> r = product(known), p = r;
        double rr = dot(r, r);
        const double wanted = 1e-10 * rr;
        int iterations = 0;
        for (; rr > wanted && iterations < a.rows; ++iterations) {
            const std::vector<float> q = product(p);
            const auto alpha = static_cast<float>(rr / dot(p, q));
            for (std::size_t i = 0; i < r.size(); ++i)
                r[i] -= alpha * q[i];
            const double next = dot(r, r);
            for (std::size_t i = 0; i < r.size(); ++i)
                p[i] = r[i] + static_cast<float>(next / rr) * p[i];
            rr = next;
        }
        most = std::max(most, iterations);
    }
    return most;
}

Csr withTwiceTheDiagonal(Csr a)
{
    for (int r = 0; r < a.rows; ++r) {
        for (auto i = static_cast<std::size_t>(a.rowPtr[r]); i < static_cast<std::size_t>(a.rowPtr[r + 1]);
             ++i)
            a.val[i] *= a.col[i] == r ? 2 : 1;
    }
    return a;
}

} // namespace sparserl

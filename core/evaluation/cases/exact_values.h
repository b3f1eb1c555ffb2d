// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "matrix/csr.h"
#include "target/numbers.h"

#include <array>
#include <cstdint>
#include <vector>

namespace sparserl {

/// Powers of two for rows and columns of a pattern: entry (i, j) gets 2^(row[i] - column[j]) and x_j gets
/// 2^column[j], so that every product of row i has the size 2^row[i] although a and x differ by more than 60
/// binary orders. Scaling by powers of two rounds nothing. Most columns are within +-30, of the others half
/// make x subnormal, half make a subnormal. Products stay normal numbers, since float atomics may flush
/// others to zero. (In double precision by more than 480 orders, and most columns are within +-240.)
struct Scaling
{
    std::vector<std::int16_t> row, column;
    NumberFormat format = {}; ///< Of the pattern's values.

    static Scaling make(const Csr& pattern, Rng& rng);
};

/// Values of a matrix and vectors whose products sum exactly in the pattern's type in any order, although
/// they are no small integers: what a program rounds, clamps, prunes or keeps in fewer bits shows as a wrong
/// bit.
///
/// With p the binary digits of the type (24, 53), row i is 2^row[i] times integers with sum |a_ij||x_j| <
/// 2^p, so that every partial sum is a number of the type. In most columns a and x are integers below
/// 2^(p/2), as large as the length of the rows allows. In some x is an odd number of p bits, in others a is
/// where x is
/// +-1: of those entries at most one a row counts, the others are zeros of either sign. In some columns x is
/// zero and a anything finite; the first columns, the last ones or both, a sixteenth to a quarter of all, are
/// of the long kind with x like that of timed runs; a tenth of all other x is zero, too.
class ExactValues
{
public:
    enum class Kind
    {
        Plain, ///< One vector at a time, odd numbers of p bits.
        Linear ///< Exact for 2 x1 - 3 x2 as well, odd numbers of p - 1 bits.
    };

    static ExactValues make(const Csr& pattern, Rng& rng, Kind kind = Kind::Plain);

    const Csr& matrix() const { return m_matrix; }
    Csr takeMatrix() { return std::move(m_matrix); } ///< The vectors do not need it.

    /// cols x columns elements, row-major.
    Numbers vector(std::int64_t columns, Rng& rng) const;
    /// x1, x2 and 2 x1 - 3 x2 (Linear).
    std::array<Numbers, 3> linearVectors(std::int64_t columns, Rng& rng) const;

private:
    enum class Role : std::uint8_t
    {
        Small, ///< Integers on both sides.
        LongX, ///< x has a long significand, a is +-1 or zero.
        LongA, ///< a has a long significand, x is +-1.
        Zero   ///< x is zero.
    };
    double element(std::size_t column, Rng& rng) const;
    int longBits() const { return m_kind == Kind::Linear ? m_format.digits - 1 : m_format.digits; }

    Kind m_kind = Kind::Plain;
    NumberFormat m_format;
    int m_vectorLimit = 1; ///< Of |x| in Small columns.
    Csr m_matrix;
    std::vector<Role> m_roles;
    std::vector<std::int16_t> m_exponents; ///< Of the columns.
};

/// The pattern with random values, scaled: its products are as large as those of other entries of the row.
Csr withWideValues(const Csr& pattern, const Scaling& scaling, Rng& rng);
/// The vectors for it: cols x columns elements of random sign, one in twenty zero.
Numbers wideVector(const Scaling& scaling, std::int64_t columns, Rng& rng);

} // namespace sparserl

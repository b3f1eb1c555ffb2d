// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "matrix/csr.h"
#include "target/numbers.h"

#include <array>
#include <cstdint>
#include <vector>

namespace sparserl {

/// Powers of two for the rows and columns of a pattern: entry (i, j) gets 2^(row[i] - column[j]) and x_j gets
/// 2^column[j]. Every product of row i then has the magnitude 2^row[i], although a and x vary by more than 60
/// binary orders. Scaling by powers of two does not round. Most column exponents are within +-30. Half of the
/// others make x subnormal, and the other half are so large that a is subnormal in some rows. Products stay
/// normal, since float atomics may flush subnormal numbers to zero. (In double precision, a and x vary by
/// more than 480 orders, and most exponents are within +-240.)
struct Scaling
{
    std::vector<std::int16_t> row, column;
    NumberFormat format = {}; ///< Format of the pattern's values.

    static Scaling make(const Csr& pattern, Rng& rng);
};

/// Matrix values and vectors for which sums of products are exact in the pattern's type and in any order,
/// although the values are not small integers. If a program rounds, clamps, prunes or stores values in fewer
/// bits, the result has a wrong bit.
///
/// Let p be the binary digits of the type (24, 53). Row i is 2^row[i] times integers with sum |a_ij||x_j| <
/// 2^p, so every partial sum is representable. In most columns, a and x are integers below 2^(p/2), as large
/// as the row length permits. In LongX columns, x is an odd number of p bits, and a is zero of either sign.
/// In LongA columns, x is +-1, and a is a small integer. Each row has at most one exception: a LongX entry
/// with a = +-1, or a LongA entry with an odd number of p bits. In Zero columns, x is zero and a is any
/// finite number. A sixteenth to a quarter of all columns, at the beginning, at the end or both, are LongX
/// columns, with x as in timed runs. In columns of small integers, a tenth of the x is zero.
class ExactValues
{
public:
    enum class Kind
    {
        Plain, ///< Exact for single vectors: odd numbers have p bits.
        Linear ///< Also exact for 2 x1 - 3 x2: odd numbers have p - 1 bits.
    };

    static ExactValues make(const Csr& pattern, Rng& rng, Kind kind = Kind::Plain);

    const Csr& matrix() const { return m_matrix; }
    Csr takeMatrix() { return std::move(m_matrix); } ///< Moves the matrix out. Vectors can still be made.

    /// Returns a vector of cols x columns elements, row-major.
    Numbers vector(std::int64_t columns, Rng& rng) const;
    /// Returns x1, x2 and 2 x1 - 3 x2. The kind must be Linear.
    std::array<Numbers, 3> linearVectors(std::int64_t columns, Rng& rng) const;

private:
    enum class Role : std::uint8_t
    {
        Small, ///< Integers in both a and x.
        LongX, ///< x has a long significand; a is +-1 or zero.
        LongA, ///< x is +-1; a is a small integer, or has a long significand.
        Zero   ///< x is zero.
    };
    double element(std::size_t column, Rng& rng) const;
    int longBits() const { return m_kind == Kind::Linear ? m_format.digits - 1 : m_format.digits; }

    Kind m_kind = Kind::Plain;
    NumberFormat m_format;
    int m_vectorLimit = 1; ///< Limit of |x| in Small columns.
    Csr m_matrix;
    std::vector<Role> m_roles;
    std::vector<std::int16_t> m_exponents; ///< Exponents of the columns.
};

/// Returns the pattern with random scaled values. With vectors from wideVector(), all products of a row are
/// about equally large.
Csr withWideValues(const Csr& pattern, const Scaling& scaling, Rng& rng);
/// Returns a vector for withWideValues(): cols x columns elements of random sign, of which one in twenty is
/// zero.
Numbers wideVector(const Scaling& scaling, std::int64_t columns, Rng& rng);

} // namespace sparserl
